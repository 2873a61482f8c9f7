"""What program text says about itself, without being run. Nothing here imports a model: child processes import it."""
