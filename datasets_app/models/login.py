from django.db import models


class LoginFailure(models.Model):
    """One failed sign-in, kept for the minute in which it counts (see datasets_app.login)."""

    name = models.CharField(max_length=150)
    address = models.CharField(max_length=45)
    at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        indexes = [models.Index(fields=["name", "address", "at"], name="login_failure_recent")]

    def __str__(self) -> str:
        return f"{self.name} from {self.address} at {self.at:%H:%M:%S}"
