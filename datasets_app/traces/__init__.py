"""What reasoning traces say: their segments, their length in tokens, and the claims that evidence can check.

`segments.segments` splits a trace, `lengths.count` measures it, `claims.find` finds its checkable sentences.
"""
