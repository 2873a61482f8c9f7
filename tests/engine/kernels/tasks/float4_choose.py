"""Rows of a matrix of packed fp4 numbers by index: values that torch can move and not compute with."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, packed, rows):
        return packed.view(torch.uint8).index_select(0, rows).view(torch.float4_e2m1fn_x2)


def get_inputs():
    packed = torch.randint(0, 256, (64, 128), dtype=torch.uint8)
    return [packed.view(torch.float4_e2m1fn_x2), torch.randint(0, 64, (32,))]


def get_init_inputs():
    return []
