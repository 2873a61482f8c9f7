"""How far the reference itself moves when last bits of its inputs or of its steps do, and what that excuses.

`neighbours` runs the reference on nudged inputs, `calibrate` derives a task's tolerance, `honest_error` tells an error
that last bits explain from one that they do not.
"""
