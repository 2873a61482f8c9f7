"""Asks models for candidates, by any endpoint of OpenAI's protocol, and takes what they write further turn by turn.

`verbs.start` stores a synthesis with a waiting candidate for each answer, `run.run_synthesis` is its job;
`refine.refine` stores one further turn. `loops.start_loop` has turns start by themselves: `turns.run_loop` is that
job, which `waking` queues when a turn is verified, and `policies` decides what is asked next and when it ends. Requests
are made in threads (`asking`), which touch no database. Nothing here imports a view.
"""
