"""The key of the worker on the site's own machine: created at start, in a file that only its owner can read."""

import secrets
import socket

from django.conf import settings

from datasets_app.accounts.actor import SITE
from eval_app.broker.messages.keys import HostKey, HostKeyError, name_from
from eval_app.host.key import FILE
from eval_app.models import Host
from eval_app.workers import registry, site_key


def prepare_local_key() -> None:
    """Ensure a key that this site accepts. A revoked host stays revoked."""
    name = name_from(settings.WORKER_NAME or socket.gethostname())
    host = Host.objects.filter(name=name).first()
    if host is not None and (host.revoked_at or fits(host)):
        return
    _, text = registry.rotate_key(name, actor=SITE) if host else registry.add_host(name, actor=SITE)
    store(text)


def fits(host: Host) -> bool:
    """Return whether the stored key is this host's and of this site."""
    try:
        key = HostKey.read((settings.DATA_DIR / FILE).read_text("ascii", "replace"))
    except (OSError, HostKeyError):
        return False
    return (key.name, key.public.hex(), key.site) == (host.name, host.public_key, site_key.public_bytes())


def store(text: str) -> None:
    """Write the file atomically, never readable by others."""
    part = settings.DATA_DIR / f".{FILE}-{secrets.token_hex(4)}"
    part.touch(mode=0o600)
    part.write_text(text + "\n")
    part.replace(settings.DATA_DIR / FILE)
