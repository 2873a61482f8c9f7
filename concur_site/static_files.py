"""Static files under names with a hash of their content, each beside a compressed copy."""

from typing import Any

from whitenoise.compress import Compressor
from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticFilesStorage(CompressedManifestStaticFilesStorage):
    """Compresses with gzip only: where another package brings Brotli, it took 10 s for Plotly's file alone, twice."""

    def create_compressor(self, **options: Any) -> Compressor:
        return Compressor(use_brotli=False, **options)
