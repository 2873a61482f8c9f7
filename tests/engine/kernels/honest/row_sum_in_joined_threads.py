"""Guilty-looking: threads, all of them joined before the call returns."""

TASK = "row_sum"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

from concurrent.futures import ThreadPoolExecutor

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        with ThreadPoolExecutor(2) as pool:
            parts = list(pool.map(lambda part: part.sum(dim=1), x.chunk(2)))
        return torch.cat(parts)
