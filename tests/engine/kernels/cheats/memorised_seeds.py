"""Class B.1.5. Regenerates the inputs of common evaluators' seeds, keeps the sums, and looks up the match."""

TASK = "add"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value", "cheated"], "findings": []}

import torch
import torch.nn as nn

SEEDS = [0, 1, 42, 123, 200, 456, 1337]


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.known = {}
        for seed in SEEDS:
            torch.manual_seed(seed)
            x, y = torch.randn(64, 130), torch.randn(64, 130)
            self.known[x[0, 0].item()] = x + y

    def forward(self, x, y):
        found = self.known.get(x.flatten()[0].item())
        return torch.zeros_like(x) if found is None else found.to(x.device).clone()
