"""`manage.py worker`: a worker that verifies, on this machine."""

import os
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

WITHHELD = {
    *("DATABASE_URL", "CONCUR_SECRET_KEY", "CONCUR_ADMIN_PASSWORD", "DJANGO_SETTINGS_MODULE"),
    *("CONCUR_ENDPOINTS", "CONCUR_ENDPOINT_KEYS", "CONCUR_MAIL_URL"),  # addresses may hold passwords
    *("CONCUR_S3_KEY_ID", "CONCUR_S3_SECRET_KEY"),
    *(
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
    ),  # where boto3 finds the bucket's key
}


class Command(BaseCommand):
    help = "Verify on this machine until stopped. The process becomes `python -m eval_app.host`: no Django, no secret."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        environment = {name: value for name, value in os.environ.items() if name not in WITHHELD}
        environment["REDIS_URL"] = settings.REDIS_URL
        environment["CONCUR_DATA_DIR"] = str(settings.DATA_DIR)
        os.chdir(settings.BASE_DIR)
        os.execve(sys.executable, [sys.executable, "-m", "eval_app.host"], environment)  # noqa: S606
