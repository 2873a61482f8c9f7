"""The kinds of tasks."""

from django.db.models import TextChoices


class TaskKind(TextChoices):
    """The main computation of a reference program, inferred from its syntax tree when it is stored."""

    ELEMENTWISE = "elementwise"
    REDUCTION = "reduction"
    SCAN = "scan"
    MATMUL = "matmul"
    CONVOLUTION = "convolution"
    NORMALISATION = "normalisation"
    ATTENTION = "attention", "softmax, attention"
    POOLING = "pooling"
    LOSS = "loss"
    GATHER = "gather", "embedding, gather"
    RAGGED = "ragged", "ragged batch"
    NETWORK = "network"
    OTHER = "other"
