"""The device under the lane: its identity and state from NVML, and its peak rates. No torch, no CUDA context."""
