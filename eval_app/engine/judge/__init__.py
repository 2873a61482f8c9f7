"""The judge: makes inputs, runs the reference, holds the truth, compares, times. It never runs the candidate."""
