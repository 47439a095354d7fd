"""What the rules of each family are proposed from.

In comes a `Stage`, one look at a site under the rules so far. Out go candidates that make the addresses of one page
equal: hosts, paths, parameters and their values, pieces of names, templates, what the site or its program declares.
"""
