"""A page of a site and its address, as the learner sees them.

In come the records of visits to an address. Out go the page with what was seen there, the parts of its address as
numbers that are quickly compared, what the values in it look like, and contexts: where on a site something holds.
"""
