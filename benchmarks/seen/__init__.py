"""Speed and memory of the seen stores: `python -m benchmarks.seen --help`."""
