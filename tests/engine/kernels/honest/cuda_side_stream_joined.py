"""Guilty-looking: works on a side stream that waits for the caller's and that the caller's waits for."""

TASK = "mlp"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed"], "findings": ["uses_streams"]}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.up = nn.Linear(features, hidden)
        self.down = nn.Linear(hidden, features)
        self.side = None

    def forward(self, x):
        self.side = self.side or torch.cuda.Stream()
        main = torch.cuda.current_stream()
        self.side.wait_stream(main)
        with torch.cuda.stream(self.side):
            out = self.down(torch.relu(self.up(x)))
        main.wait_stream(self.side)
        out.record_stream(main)
        x.record_stream(self.side)
        return out
