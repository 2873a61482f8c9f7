"""Small values beside large ones, known to a few per cent only: so is the reference"s own."""

TASK = "there_and_back"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, turn):
        middle = sum(x[:, i : i + 16] @ turn[i : i + 16] for i in range(0, x.shape[1], 16))
        return sum(middle[:, i : i + 8] @ turn.t()[i : i + 8] for i in range(0, x.shape[1], 8))
