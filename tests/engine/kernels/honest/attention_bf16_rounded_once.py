"""Attention in single precision, rounded once at the end; the reference rounds after each step."""

TASK = "attention_bf16"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["uncalibrated"]}
JOB = {"profile": {"calibrate": True}}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, q, k, v):
        q, k, v = q.float(), k.float(), v.float()
        scores = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
        e = (scores - scores.amax(-1, keepdim=True)).exp()
        return ((e @ v) / e.sum(-1, keepdim=True)).bfloat16()
