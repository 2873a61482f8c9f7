"""Similarity of kernels: programs as tokens, tokens as sets of shingles, sets compared by MinHash.

lexing.py     a program without layout, comments and docstrings; and without the names that its author chose
minhash.py    shingles, signatures, bands, and the exact Jaccard similarity
index.py      stores signatures and bands of new samples (a background job; see maintenance.runs)
clusters.py   clusters of similar kernels
find.py       the most similar samples of one sample
"""
