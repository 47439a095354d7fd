"""Compiled rules and how they are run: from a URL to its canonical URL and its key."""
