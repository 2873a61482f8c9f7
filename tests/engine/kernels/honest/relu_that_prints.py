"""Talks, warns and logs while it works."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import logging
import sys
import warnings

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        print("relu of", tuple(x.shape))
        print("to stderr as well", file=sys.stderr)
        logging.getLogger("relu").warning("a warning")
        warnings.warn("another one", stacklevel=2)
        return x.clamp(min=0)
