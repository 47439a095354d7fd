"""What the scheduler over Scrapy's is made of.

In come requests that are queued, handed out and done. Out go rows in the file of requests, so that a killed run goes
on, and requests that were kept back or wait for others, some in each turn of the reactor.
"""
