"""The judge: makes inputs, runs the reference, holds the truth, compares and times. It never runs the candidate.

`main.Judgement` runs one job in the judge's sandboxed process: `trials` compares; `measurement` times, with `timing`
by single calls and with `order_timer` by orders of many, which decide. `admission` examines the task, `diagnosis`
names the kind of a failure. The candidate is reached only through `session`, over a private channel to the runner.
Imports neither the runner nor the orchestrator.

Tensors are those of the task: any shape and dtype, on the judge's device, unless a docstring says otherwise.
"Truth" is the reference's output for a case.
"""
