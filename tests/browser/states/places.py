"""The addresses of what the cast holds, by the names that the states have for them."""

from typing import Any

from django.urls import reverse

from datasets_app.models import Verification


def code_against(one: Any, other: Any) -> str:
    return reverse("sample-code-against", args=[one, "sass", other])


def tried(cast: dict[str, Any]) -> dict[str, str]:
    samples = {name: one for name, one in cast.items() if one.source.name == "trying"}
    return {f"sample {name}": one.get_absolute_url() for name, one in samples.items()}


def addresses(name: str, verification: Verification) -> dict[str, str]:
    """Return the addresses of a verification and of its sample, by name."""
    sample = verification.sample.get_absolute_url()
    return {name: verification.get_absolute_url(), f"{name} sample": sample}


def machine_code(evidence: str, other: Verification) -> dict[str, str]:
    """Return the addresses of a verification's evidence and of its machine code, by itself and against another's."""
    code = f"{evidence}code/"
    return {
        "evidence": evidence,
        "ptx": f"{code}ptx/",
        "sass": f"{code}sass/",
        "sass against": f"{code}sass/?against={other.pk}",
    }
