"""All that touches Scrapy: one component a module, thin, without URL logic."""
