from django.conf import settings
from django.db import models

from datasets_app.models.append_only import AppendOnly
from datasets_app.models.token import ApiToken


class Via(models.TextChoices):
    """The interface through which a request arrived."""

    PAGE = "page"
    API = "api"
    COMMAND = "command"
    SITE = "site"


class AuditEntry(AppendOnly):
    """One action of one actor on one object. Append-only."""

    at = models.DateTimeField(auto_now_add=True, db_index=True)
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True)
    actor_name = models.CharField(
        max_length=150,
        help_text="kept if the account is deleted; 'command' for the shell, 'site' for the site itself",
    )
    via = models.CharField(
        max_length=10,
        choices=Via,
        blank=True,
        help_text="the interface it arrived through; empty: recorded before this field existed",
    )
    token = models.ForeignKey(
        ApiToken, on_delete=models.SET_NULL, null=True, blank=True, help_text="the API token that was used"
    )
    action = models.CharField(max_length=60, db_index=True, help_text="such as review.submit, release.create")
    target_type = models.CharField(max_length=60)
    target_id = models.CharField(max_length=120)
    detail = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["-at", "-id"]
        verbose_name_plural = "audit entries"
        indexes = [models.Index(fields=["target_type", "target_id"], name="audit_target")]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.actor_name} {self.action} {self.target_id}"
