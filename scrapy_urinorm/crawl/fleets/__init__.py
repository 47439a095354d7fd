"""Live rules in a fleet of workers: what `live_rules` does for one crawl, by way of Redis.

In come requests, and what any worker has learned. Out go requests kept back for all workers, asked again by one of
them, and an end that all of them come to.
"""
