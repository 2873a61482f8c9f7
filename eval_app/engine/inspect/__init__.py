"""A look inside a candidate, beside its verdict: the kernels it runs, their machine code, counters, memory errors."""
