"""What is found, and what speaks for it and against it.

In come addresses, and the labels of their pages. Out go neighbours, which one edit makes equal, and candidates: an
edit, the contexts in which it makes no difference, and how likely it is that it merges different pages all the same.
"""
