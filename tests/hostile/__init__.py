"""Input designed to break the site: each entry is a small function, named after its target.

texts.py     definition of an entry: a name, its column, its text
kernels.py   against syntax trees; kernels_for_lexers.py against lexers and regular expressions
programs.py  reference programs; traces.py reasoning traces
"""
