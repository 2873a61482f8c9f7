"""Environment variables that tell a scout's torch which GPU to imitate. Standard library only."""

CAPABILITY, NAME = "CONCUR_SCOUT_CAPABILITY", "CONCUR_SCOUT_NAME"
