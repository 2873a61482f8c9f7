"""Class B.2.21. Returns at once; a thread fills the output a little later, when the clock has stopped."""

TASK = "gelu"
DEVICE = "any"
EXPECT = {"outcome": ["cheated", "wrong_value", "nondeterministic"], "findings": ["work_after_return"]}

import threading
import time

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.zeros_like(x)
        held = x.clone()

        def work():
            time.sleep(0.002)
            out.copy_(F.gelu(held))

        threading.Thread(target=work, daemon=True).start()
        return out
