"""The way of a crawl's responses to the page reader, a process of its own.

In come requests and responses. Out go messages over a bounded pipe, no more of them than a crawl has CPU time for, and
the places where visits and report are put.
"""
