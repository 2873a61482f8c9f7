"""Work in processes of their own: one call with a deadline, and background jobs by kind.

`child.call` runs one function in a child with a limit of seconds and memory and returns its answer as JSON;
`runner.JobRunner` runs background jobs, each in a child that is killed when its job is cancelled or lost. Children are
forked from a warm server (Python's forkserver with the site imported: 10 ms instead of more than a second) and end
with the process that asked for them. Nothing here knows what a job does: jobs register themselves in `kinds`.

Single texts are analysed in `bounded` instead, whose two children are reused and have no settings, no secrets and no
database. Children here have all three, and each serves one call or one job, with limits of its own.
"""
