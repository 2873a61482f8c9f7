from django.db import models


class NoteLabel(models.TextChoices):
    """What a note says about the text that it is anchored to."""

    KEY_INSIGHT = "key_insight", "key insight"
    REDUNDANT = "redundant", "redundant"
    WRONG_CLAIM = "wrong_claim", "wrong claim"
    HALLUCINATED_API = "hallucinated_api", "hallucinated API"
    SELF_CORRECTION = "self_correction", "self-correction"
    CUDA_SENSITIVE = "cuda_sensitive", "CUDA-sensitive region"
    RACE = "race", "race"
    BOUNDS = "bounds", "bounds"
    PRECISION = "precision", "precision"

    @property
    def shortcut(self) -> str:
        """Return the key that chooses this label while a note is written: its place in the list, from 1."""
        return str(list(NoteLabel).index(self) + 1)
