"""The checks of a job: trials on the task's own values and on families, and what may happen to weights, arguments and
results besides.

`trials.Trials` compares call by call. Each of the others asks one question of a candidate whose trials are over.
"""
