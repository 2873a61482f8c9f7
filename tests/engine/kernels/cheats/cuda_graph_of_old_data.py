"""Class B.2.30. Captures a graph on the first call and always replays it: on the first call's data."""

TASK = "mlp"
DEVICE = "cuda"
EXPECT = {"outcome": ["wrong_value", "cheated"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.up = nn.Linear(features, hidden)
        self.down = nn.Linear(hidden, features)
        self.graph = None

    def compute(self, x):
        return self.down(torch.relu(self.up(x)))

    def forward(self, x):
        if self.graph is None or self.held.shape != x.shape:
            self.held = x.clone()
            with torch.no_grad():
                self.compute(self.held)
                torch.cuda.synchronize()
                self.graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(self.graph):
                    self.out = self.compute(self.held)
        self.graph.replay()
        return self.out.clone()
