"""From visits to the labelled pages of a site.

In come visits in any order, sorted by site on disk where they are many. Out goes a `Site`: its pages by canonical URL,
each with the label of what it shows, whatever sessions, blocks and canonical links to other pages there were.
"""
