"""Class B.5.68. Off by a twentieth. Its wrong elements used to fit no report, and the reference was blamed for that."""

TASK = "many_dimensions"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        name = "amplitudes of the register after the last gate, one dimension for each of eighteen qubits, before a measurement"
        return {name: (x * 2.1).view([2] * 18)}
