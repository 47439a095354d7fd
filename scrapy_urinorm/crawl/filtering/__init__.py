"""What the duplicate filter is made of.

In come requests with their fingerprints, and how their chains of redirects ended. Out goes whether a request is a
duplicate, which request speaks for a key, and which variant is tried when that one fails, from run to run.
"""
