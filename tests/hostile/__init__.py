"""Input that was written to stop the site: each entry is a small function, named for what it attacks.

texts.py     what an entry is: a name, the column that it goes into, its text
kernels.py   against syntax trees; kernels_for_lexers.py against lexers and regular expressions
programs.py  reference programs; traces.py reasoning traces
"""
