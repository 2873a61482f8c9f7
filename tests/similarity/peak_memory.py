"""Measures the memory of a function; runs in a child process."""

from pathlib import Path

from datasets_app.similarity.fingerprints import fingerprint_of


def peak_bytes_after_fingerprint(kernel: str) -> int:
    """Return the peak memory of this process after it computed the kernel's fingerprint."""
    fingerprint_of(kernel)
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
