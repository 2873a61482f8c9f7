"""Class B.5.75. Keeps a packed weight and renews it in a hook that runs when weights are loaded, never when they are trained."""

TASK = "linear"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["weights_cached"]}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features_in, features_out):
        super().__init__()
        self.linear = nn.Linear(features_in, features_out)
        self.packed = None
        self.register_load_state_dict_post_hook(lambda module, keys: module.pack())

    def pack(self):
        self.packed = self.linear.weight.detach().t().contiguous()

    def forward(self, x):
        if self.packed is None:
            self.pack()
        return torch.addmm(self.linear.bias, x, self.packed)
