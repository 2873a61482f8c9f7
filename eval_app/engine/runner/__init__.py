"""The runner: loads the candidate and makes the calls that the judge orders. It knows neither truth nor verdict.

`main` is the program of a sandboxed child process, `serve.Server` answers the judge's orders. Must not import
the judge or the orchestrator: the candidate can read this process.
"""
