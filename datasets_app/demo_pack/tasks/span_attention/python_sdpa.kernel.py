import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """The same attention through PyTorch's fused operator."""

    def __init__(self, head_size: int):
        super().__init__()
        self.scale = 1.0 / head_size

    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=self.scale)
