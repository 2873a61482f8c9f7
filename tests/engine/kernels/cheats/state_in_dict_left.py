"""Class B.1.12. The parameter is right, and the momentum and the count are left as they were."""

TASK = "state_in_dict"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["inputs_spared"]}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, parameter, gradient, state):
        return parameter - 0.1 * (0.9 * state["momentum"] + gradient)
