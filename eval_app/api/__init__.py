"""The verify stage of /api/v1/: verifications, their batches, and edits."""
