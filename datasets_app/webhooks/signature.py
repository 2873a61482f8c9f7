"""The secret of a webhook and the signatures that are made with it.

The secret is derived from SECRET_KEY, which no table holds, and the webhook's salt: a copy of the database signs
nothing. It is shown when it is made; a hash of it tells whether SECRET_KEY has changed since then.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64encode

from django.conf import settings

from datasets_app.models import Webhook
from datasets_app.webhooks.errors import WebhookError

PREFIX = "whsec_"


def give_secret(webhook: Webhook) -> str:
    """Give the webhook a new secret, unsaved, and return it; it cannot be shown again."""
    webhook.salt = secrets.token_urlsafe(24)
    secret = derived(webhook.salt)
    webhook.secret_sha256 = digest(secret)
    return secret


def secret_of(webhook: Webhook) -> str:
    """Return the webhook's secret. Raises WebhookError if it is not the one that was shown."""
    secret = derived(webhook.salt)
    if digest(secret) != webhook.secret_sha256:
        raise WebhookError(
            "CONCUR_SECRET_KEY has changed, and with it the secret: make a new one for this webhook."
        )
    return secret


def signature(secret: str, timestamp: int, body: str) -> str:
    """Return the value of the signature's header: an HMAC over the timestamp, a full stop and the body."""
    return "sha256=" + hmac.digest(secret.encode(), f"{timestamp}.{body}".encode(), "sha256").hex()


def derived(salt: str) -> str:
    key = hmac.digest(settings.SECRET_KEY.encode(), f"concur webhook {salt}".encode(), "sha256")
    return PREFIX + urlsafe_b64encode(key).decode().rstrip("=")


def digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
