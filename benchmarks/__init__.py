"""Benchmarks: each script names the command that repeats its measurement; figures are in results/."""
