"""Never returns."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["timeout"], "findings": []}
JOB = {"profile": {"first_call_timeout_s": 4.0}}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        while True:
            pass
