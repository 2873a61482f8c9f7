"""Evaluation runs: one generator's answers to a frozen set of tasks, judged on a device, with all turns of a chain.

`record.create_run` freezes a run of any source, `record.run_of_synthesis` that of a synthesis; `judged.judge_run`
returns its results by turn and level, from which `tables` and `figures/turns.py` draw. Nothing here reads a body.
"""
