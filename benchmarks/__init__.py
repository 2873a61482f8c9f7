"""What was measured, each script with the command that measures it again; figures in results/."""
