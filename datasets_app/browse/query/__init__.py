"""The query line and its fields: what can be asked of the samples, and the queryset that answers.

`query_line` parses typed text, `filter` turns parameters into a queryset, `vocabulary` names every field once for
parser, completion and help. Knows nothing of how a list is shown.
"""
