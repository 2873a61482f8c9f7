"""Devices without torch: their properties and state from NVML, their peak rates, and telemetry during a timing."""
