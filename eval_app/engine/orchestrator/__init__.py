"""The trusted side of the engine: runs no submitted code and imports no torch.

`engine.Engine.verify` takes jobs and yields reports; `verification` names the stages of one job, `attempt` runs judge
and runner once, `classify_outcome` decides whose fault a failure was.
"""
