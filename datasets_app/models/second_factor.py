from django.conf import settings
from django.db import models


class SecondFactor(models.Model):
    """An account's authenticator app (see datasets_app.accounts.second_factor). Recovery codes are stored as hashes."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="second_factor"
    )
    secret = models.CharField(max_length=64, help_text="shared with the app; required to check codes")
    last_step = models.BigIntegerField(
        default=0, help_text="time step of the last accepted code; codes of earlier steps are refused"
    )
    recovery = models.JSONField(default=list, help_text="SHA-256 of each unused recovery code")
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"second step of {self.user_id}"
