"""Analyses program text without running it: definitions, operators, calls of torch, kernels, differences.

`program.examine` returns what a reference program defines and calls, `kernel.read_kernel` what a kernel program
launches and accesses, `diff.compare` how two texts differ, and `operator_map.operator_map` where a kernel computes each
operator. Everything is a pure function of text: child processes without settings import this package, so it must never
import a model.
"""
