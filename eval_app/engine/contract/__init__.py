"""The engine's contract: jobs in, reports out, profiles, the evidence of a report; JSON is validated as it is read.

Standard library only. Everything else in the engine may import this package; it imports nothing of the engine.
"""
