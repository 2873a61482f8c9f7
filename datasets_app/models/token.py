import hashlib
import secrets
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

PREFIX = "cw_"
LONGEST_LABEL = 80


def digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


class ApiToken(models.Model):
    """An API token of a user. Only its hash is stored: the text is shown once, at creation."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    label = models.CharField(max_length=LONGEST_LABEL, blank=True)
    start = models.CharField(max_length=10, help_text="its first characters, to tell tokens apart")
    sha256 = models.CharField(max_length=64, unique=True)
    scopes = models.JSONField(default=list, help_text="of read, metrics, annotate, curate, admin")
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True, help_text="empty: never")
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "API token"
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.start}… of {self.user_id}"

    @property
    def is_expired(self) -> bool:
        return self.expires_at is not None and self.expires_at <= timezone.now()

    @classmethod
    def issue(
        cls, user: Any, scopes: list[str], label: str = "", expires_at: datetime | None = None
    ) -> tuple["ApiToken", str]:
        """Create a token. Return it with its text, which cannot be read again. Callers use
        accounts.api_tokens.make_token.
        """
        text = PREFIX + secrets.token_urlsafe(32)
        fields = {"label": label, "expires_at": expires_at, "start": text[:8], "sha256": digest(text)}
        return cls.objects.create(user=user, scopes=scopes, **fields), text
