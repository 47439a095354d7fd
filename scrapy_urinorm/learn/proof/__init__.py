"""Candidates tried on the whole site before they become rules.

In come candidates of all families and the pages of a site. Out goes what their rules together merge by the very
normalizer of a crawl, what a crawl under them would no longer meet, and which of them is to blame.
"""
