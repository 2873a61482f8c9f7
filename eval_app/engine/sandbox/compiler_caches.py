"""Private folders for the caches of just-in-time compilers."""

from __future__ import annotations

import os


def cache_environment(folder: str) -> dict[str, str]:
    """Return environment variables that keep every just-in-time compiler's cache inside one private folder.

    The folder belongs to the job and is deleted with it: in a cache that outlived a job a candidate could
    keep outputs for its next run, or forge entries.
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
