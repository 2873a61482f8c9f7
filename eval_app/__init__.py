"""Claims about a sample, tested on a machine."""
