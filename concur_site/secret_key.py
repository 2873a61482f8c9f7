"""The secret key of sessions, signatures and nonces."""

import secrets
from pathlib import Path

from concur_site import env


def secret_key(folder: Path, *, may_generate: bool = True) -> str:
    """Return the key from the environment, otherwise one that is generated once and stored in the data folder,
    private. Empty if it may not be generated.
    """
    if (key := env.text("CONCUR_SECRET_KEY")) or not may_generate:
        return key
    path = folder / "secret-key"
    if not path.exists():
        folder.mkdir(
            mode=0o700, parents=True, exist_ok=True
        )  # whatever loads the settings first, and with which umask
        fresh = folder / f".secret-key-{secrets.token_hex(4)}"
        fresh.touch(mode=0o600)
        fresh.write_text(secrets.token_urlsafe(50))
        try:
            path.hardlink_to(fresh)  # the first of two processes wins; the other reads its key
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    return path.read_text().strip()
