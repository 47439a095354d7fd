"""What a crawl with live rules does, between the scheduler and the processes that learn.

In come requests that may wait, how those under way end, and what is learned meanwhile. Out go requests kept back and
asked again, a state that a resumed crawl goes on with, and a last judgement at the end.
"""
