"""Class B.1.13. A graph with fresh inputs and one output buffer: two calls return the same memory."""

TASK = "linear"
DEVICE = "cuda"
EXPECT = {"outcome": ["broken_promise"], "findings": ["output_reused"]}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features_in, features_out):
        super().__init__()
        self.linear = nn.Linear(features_in, features_out)
        self.graph = None

    def forward(self, x):
        if self.graph is None or self.held.shape != x.shape:
            self.held = x.clone()
            with torch.no_grad():
                self.linear(self.held)
                torch.cuda.synchronize()
                self.graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(self.graph):
                    self.out = self.linear(self.held)
        self.held.copy_(x)
        self.graph.replay()
        return self.out
