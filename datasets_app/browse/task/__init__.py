"""What the task page shows: its samples ranked, portability across devices, trajectories, what a pass proves."""
