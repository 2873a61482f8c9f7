"""Class B.1.8. Computes the first of a batch alone, since the task's batch has one."""

TASK = "batch_of_one"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["fixed_shape"]}
JOB = {"profile": {"shapes": 2}}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        first = x[0]
        return ((first @ first.T).softmax(-1) @ first)[None]
