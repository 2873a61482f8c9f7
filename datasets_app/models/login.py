from django.db import models


class LoginFailure(models.Model):
    """One failed sign-in, kept for as long as it counts (see datasets_app.accounts.brake)."""

    name = models.CharField(max_length=150)
    address = models.CharField(max_length=45, help_text="of IPv6 the /64 network")
    device = models.CharField(max_length=32, blank=True, help_text="a browser that signed in with it before")
    at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        indexes = [
            models.Index(fields=["name", "at"], name="login_failure_name"),
            models.Index(fields=["address", "at"], name="login_failure_address"),
        ]

    def __str__(self) -> str:
        return f"{self.name} from {self.address} at {self.at:%H:%M:%S}"
