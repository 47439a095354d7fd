"""Settings of a worker. Every worker of the fleet has the same, and the same rules."""

import os

ADDONS = {"scrapy_urinorm.Addon": 600}

# One Redis for the queue, the start URLs and what has been seen.
REDIS_URL = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0")
URINORM_SEEN = REDIS_URL
# Name what belongs together: workers with the same prefix share what they have seen.
URINORM_SEEN_PREFIX = "urinorm:%(spider)s"
# A restart of Redis makes the workers wait for it, up to a quarter of an hour, instead of ending the crawl.
URINORM_SEEN_ON_LOST = "wait"

# scrapy-redis' scheduler, but a page is recorded as seen and queued in one step.
SCHEDULER = "fleetcrawl.scheduler.Scheduler"
# Keeps what it hands out until it is done; scrapy-redis' own queues forget it, and a killed worker takes it along.
SCHEDULER_QUEUE_CLASS = "fleetcrawl.queue.RecoveringQueue"
# Without this the first worker that is done deletes the queue, and what has been seen, under the others.
SCHEDULER_PERSIST = True
# Start URLs are given to Scrapy unfiltered; recorded, they are not fetched again when a page links to them.
URINORM_RECORD_START = True
# Seconds without a sign of life after which others take over what a worker had in hand.
FLEET_LEASE = 30
# Seconds without work after which a worker ends; 0: never, it waits for new start URLs.
MAX_IDLE_TIME_BEFORE_CLOSE = 10

BOT_NAME = "fleetcrawl"
SPIDER_MODULES = ["fleetcrawl.spiders"]
ROBOTSTXT_OBEY = True
TELNETCONSOLE_ENABLED = False
FEED_EXPORT_ENCODING = "utf-8"
