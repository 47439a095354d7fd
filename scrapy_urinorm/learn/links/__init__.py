"""The recorded links of a site, and crawls that follow them again in memory.

In come pages and the links that they were seen to have. Out go the graph of a site, what a crawl of it meets under
any rules, and where the links lead that nobody has followed.
"""
