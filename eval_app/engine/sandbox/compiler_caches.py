"""Private folders for the caches of just-in-time compilers."""

from __future__ import annotations

import os


def cache_environment(folder: str) -> dict[str, str]:
    """Environment variables that keep every just-in-time compiler's cache inside one private folder.

    That folder is the job's own and goes with it: a cache that outlived a job would be a place in which a candidate
    could keep outputs for the next run, and whose files it could have forged.
    """
    names = {
        "TRITON_CACHE_DIR": "triton",
        "TORCHINDUCTOR_CACHE_DIR": "inductor",
        "TORCH_EXTENSIONS_DIR": "extensions",
        "CUDA_CACHE_PATH": "cuda",
        "NUMBA_CACHE_DIR": "numba",
        "CUPY_CACHE_DIR": "cupy",
        "XDG_CACHE_HOME": "xdg",
    }
    return {variable: os.path.join(folder, name) for variable, name in names.items()}
