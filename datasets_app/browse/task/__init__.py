"""The content of the task page: ranked samples, portability across devices, trajectories, and how much a pass
proves.
"""
