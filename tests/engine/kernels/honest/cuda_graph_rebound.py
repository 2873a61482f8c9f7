"""Guilty-looking: a captured graph, with the input copied in and the output copied out at every call."""

TASK = "linear"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed"], "findings": ["uses_graph"]}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features_in, features_out):
        super().__init__()
        self.linear = nn.Linear(features_in, features_out)
        self.graph = None

    def capture(self, x):
        self.held = x.clone()
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side), torch.no_grad():
            self.linear(self.held)
        torch.cuda.current_stream().wait_stream(side)
        self.graph = torch.cuda.CUDAGraph()
        with torch.no_grad(), torch.cuda.graph(self.graph):
            self.out = self.linear(self.held)

    def forward(self, x):
        if self.graph is None or self.held.shape != x.shape:
            self.capture(x)
        self.held.copy_(x)
        self.graph.replay()
        return self.out.clone()
