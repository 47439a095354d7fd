"""Rules of others to rule files of ours: pure functions from texts to a document and a report of what is left over."""
