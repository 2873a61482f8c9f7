"""Which kernels are alike: programs as tokens, tokens as sets of shingles, sets compared by MinHash.

lexing.py     a program without layout, comments and docstrings; and without the names that its writer chose
minhash.py    shingles, signatures, bands, and the exact Jaccard similarity
index.py      keeps signatures and bands in the database as samples come in (a background job; see maintenance.runs)
clusters.py   groups of kernels that are nearly the same
find.py       the nearest samples of one sample
"""
