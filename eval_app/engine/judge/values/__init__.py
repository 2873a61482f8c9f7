"""What values are and how they may be changed: the structure of a tensor that kernels may rely on, and the families.

`families.change` makes inputs of a family and `structure.Structure` says what it has to keep; `unvaried.find` says what
a task never varies. The modules beside these know one kind of value each: masks, integers, matrices, directions,
records. Imports nothing of the task, of its reference or of a candidate.
"""
