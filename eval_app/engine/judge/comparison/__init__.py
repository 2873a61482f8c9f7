"""Whether two results are alike: element by element, by decade, in the tails, and by what places point to.

`compare.compare` compares two tensors and `wrong_output` names what an output gets wrong. Imports `values` alone.
"""
