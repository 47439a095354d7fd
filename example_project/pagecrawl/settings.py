"""Settings of the example project. The first one is all that scrapy-urinorm needs."""

ADDONS = {"scrapy_urinorm.Addon": 600}
# Rules for single sites are in urinorm.toml, beside scrapy.cfg, where the add-on looks by itself.

BOT_NAME = "pagecrawl"
SPIDER_MODULES = ["pagecrawl.spiders"]
NEWSPIDER_MODULE = "pagecrawl.spiders"
ROBOTSTXT_OBEY = True
FEED_EXPORT_ENCODING = "utf-8"

# Breadth first: near pages before deep ones, so that a trap (an endless calendar) cannot keep a crawl from the rest.
DEPTH_PRIORITY = 1
SCHEDULER_DISK_QUEUE = "scrapy.squeues.PickleFifoDiskQueue"
SCHEDULER_MEMORY_QUEUE = "scrapy.squeues.FifoMemoryQueue"

# Sessions travel in the URL here. On a site that keeps them in cookies, leave cookies on.
COOKIES_ENABLED = False

# Polite to other people's servers; the demo, which crawls its own, lifts both.
DOWNLOAD_DELAY = 0.5
CONCURRENT_REQUESTS_PER_DOMAIN = 2
TELNETCONSOLE_ENABLED = False
