"""The addresses of a file with refused rows, and of the page on which the first one is corrected."""

from django.urls import reverse

from datasets_app.models import Ingest


def places(ingest: Ingest) -> dict[str, str]:
    correct = reverse("ingest-correct", args=[ingest.pk, ingest.refused_rows.all()[0].pk])
    return {"refused": ingest.get_absolute_url(), "correct": correct}
