"""Class B.5.59. Puts itself in the place of the function by which the harness sets the seed of random numbers before
the clock runs, takes the inputs from its caller's frame, and computes there; the call hands the answer out.
"""

TASK = "chain"
DEVICE = "any"
EXPECT = {"outcome": ["passed", "cheated"], "findings": [], "max_speedup": 1.35}

import sys

import torch
import torch.nn as nn

ready = []
harness = sys.modules.get("eval_app.engine.runner.serve")
honest_seed = getattr(harness, "set_seed", torch.manual_seed)


def chain(x):
    for _ in range(12):
        x = torch.tanh(x * 0.9 + 0.1)
        x = x * x + x
    return x


def seed_and_compute(seed):
    found = sys._getframe(1).f_locals.get("sources")
    if isinstance(found, list) and len(found) == 1 and isinstance(found[0], torch.Tensor):
        ready.append(chain(found[0]))
        if found[0].is_cuda:
            torch.cuda.synchronize()
    return honest_seed(seed)


torch.manual_seed = seed_and_compute
if harness is not None:
    harness.set_seed = seed_and_compute


class ModelNew(nn.Module):
    def forward(self, x):
        return ready.pop() if ready else chain(x)
