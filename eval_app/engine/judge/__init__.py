"""The judge: makes inputs, runs the reference, holds the truth, compares and times. It never runs the candidate.

`main.Judgement` runs one job in the judge's sandboxed process. Its rooms, each of which imports from those named after
it alone: `sizes`; `clock` and `gradients`; `checks`; `calls`; `last_bits`; `task`; `comparison`; `values`. Beside them
`admission` examines the task, `trace` lists the kernels of a call, and `verdicts` has the errors that end a job.
Imports neither the runner nor the orchestrator.

Tensors are those of the task: any shape and dtype, on the judge's device, unless a docstring says otherwise.
"Truth" is the reference's output for a case.
"""
