"""Class B.5.59. Keeps the answer to inputs that no draw varies. It is right, and its time used to be confirmed as some 100 times
faster.
"""

TASK = "waves"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["inputs_constant", "time_unconfirmed"], "max_speedup": 1.25}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.kept = None

    def forward(self, places):
        if self.kept is None:
            waves = places.float()
            for _ in range(20):
                waves = torch.sin(waves * 1.1 + 0.3)
            self.kept = waves
        return self.kept.clone()
