"""Other sizes than the task's own: declared configurations, and shapes that the engine chooses."""
