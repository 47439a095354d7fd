"""Live rules: what the first crawl of a site learns of its duplicates while it runs, and takes back where it was wrong.

Pure, without Scrapy, disk or network. `student` learns from visits, in a process of its own; `desk` decides, in the
crawl, which requests wait.
"""
