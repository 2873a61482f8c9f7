"""A product of fp8 matrices in single precision, rounded once. Half precision rounds some results to the middle between two
numbers of fp8, and from there to the other one: a step of a quarter, which fp8's tolerance of a tenth called wrong.
"""

TASK = "float8_product"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, weight):
        return (x.float() @ weight.float()).to(torch.float8_e5m2)
