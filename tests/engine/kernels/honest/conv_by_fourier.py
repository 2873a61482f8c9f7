"""A convolution by Fourier transforms."""

TASK = "conv2d"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch


class ModelNew(torch.nn.Module):
    def __init__(self, channels_in, channels_out, kernel_size):
        super().__init__()
        self.conv = torch.nn.Conv2d(channels_in, channels_out, kernel_size, padding=1)

    def forward(self, x):
        h, w = x.shape[-2] + 2, x.shape[-1] + 2
        padded = torch.fft.rfft2(torch.nn.functional.pad(x, (1, 1, 1, 1)).double())
        kernel = torch.fft.rfft2(self.conv.weight.double(), s=(h, w)).conj()
        out = torch.fft.irfft2(torch.einsum("bchw,ochw->bohw", padded, kernel), s=(h, w))
        return out[..., : h - 2, : w - 2].float() + self.conv.bias.view(1, -1, 1, 1)
