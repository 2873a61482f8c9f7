"""Seeds of random numbers: of torch on the CPU and on the lane's GPU, of numpy and of Python.

torch.manual_seed also prepares every kind of device that the process does not use, and formats the stack of its caller
for each: 0.4 ms apiece, which is as long as a whole call.
"""

from __future__ import annotations

import random

import numpy
import torch

# Bound before a candidate is loaded.
_seed_cpu = torch.default_generator.manual_seed
_seed_numpy, _seed_python = numpy.random.seed, random.seed


def set_seed(seed: int) -> None:
    """Seed random numbers, of torch with the same effect as torch.manual_seed."""
    _seed_cpu(seed)
    _seed_numpy(seed % 2**32)
    _seed_python(seed)
    for generator in torch.cuda.default_generators:  # none before CUDA is initialised
        generator.manual_seed(seed)


def state() -> tuple[object, ...]:
    """Return the state of all generators that `set_seed` seeds: another one shows that numbers were drawn."""
    generators = [torch.default_generator, *torch.cuda.default_generators]
    of_torch = [generator.get_state().tolist() for generator in generators]
    return *of_torch, repr(numpy.random.get_state()), random.getstate()
