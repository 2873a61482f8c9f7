"""Analyses reasoning traces: their segments, their length in tokens, and the claims that evidence can check.

`segments.segments` splits a trace, `lengths.count_all` counts tokens, `claims.find` finds checkable sentences and
`claims.check` compares them with the evidence; `redundancy.repeats` finds paragraphs that were said before. Pure
functions of text except `claims.measured`, which reads the newest verification; this package imports no stage.
"""
