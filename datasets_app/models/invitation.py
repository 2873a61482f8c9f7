import hashlib

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

LONGEST_NOTE = 80


def invitation_digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def open(self) -> "InvitationQuerySet":
        """Return the invitations that can be used now."""
        return self.filter(Q(used_at=None, revoked_at=None, expires_at__gt=timezone.now()))


class Invitation(models.Model):
    """A link with which one person makes an account (see datasets_app.accounts.invitations); its hash is stored."""

    sha256 = models.CharField(max_length=64, unique=True)
    role = models.CharField(max_length=20, help_text="of the account that is made with it")
    note = models.CharField(max_length=LONGEST_NOTE, blank=True, help_text="for whom it is")
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return f"invitation {self.pk} as {self.role}"
