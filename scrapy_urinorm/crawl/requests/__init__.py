"""The requests of a job, a row each, in one SQLite file.

In come requests, made bytes as Scrapy's own disk queues make them, and what becomes of them. Out go those that are
queued, under way or kept back, also after a kill. Knows nothing of engine, scheduler or rules.
"""
