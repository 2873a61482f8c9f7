"""What answers cost: as the endpoint states it, else by the price of a million tokens that the site's settings name."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.conf import settings

from datasets_app.synthesize.answers import Answer

TOKENS = 1_000_000  # that a price is for


@dataclass(frozen=True)
class Price:
    """What TOKENS of prompts and of answers cost."""

    prompt: float
    answer: float

    def of(self, answer: Answer) -> float:
        return (answer.prompt_tokens * self.prompt + answer.answer_tokens * self.answer) / TOKENS


def price_of(endpoint: str, model: str) -> Price | None:
    """Return the price of a model at an endpoint, else of the endpoint; None if the settings name neither."""
    found = settings.PRICES.get(f"{endpoint}/{model}") or settings.PRICES.get(endpoint)
    return Price(*found) if found else None


def priced(answer: Answer, price: Price | None) -> Answer:
    """Return an answer with its cost by the price, unless its endpoint stated one or counted no tokens."""
    counted = answer.prompt_tokens or answer.answer_tokens
    if answer.cost is not None or price is None or not counted:
        return answer
    return replace(answer, cost=price.of(answer))
