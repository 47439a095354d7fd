"""Addresses that need not be requested, or only last.

In come the pages of a site, their shapes and the recorded links. Out go candidates that skip or defer what always
fails, is found elsewhere, never ends, or is one more order or filter of a list; and proposals for filters.
"""
