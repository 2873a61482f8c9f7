"""One request to an endpoint of OpenAI's protocol (hosted, vLLM, SGLang), streamed, with every fault by name."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import httpx2
import openai
from django.conf import settings

from datasets_app.synthesize.answers import Answer
from datasets_app.synthesize.errors import EndpointError, RequestRefusedError, TryAgainError
from datasets_app.synthesize.templates import Messages

# Seconds: until a connection stands, and between two parts of an answer.
CONNECT_S, SILENT_S = 10.0, 600.0
LONGEST_WAIT_S = 120.0
# A key, an address or a model that is wrong for every request.
WRONG_FOR_ALL = (401, 403, 404, 405)
BUSY = (408, 409, 425, 429)
MOST_CHARACTERS = 4_000_000  # of one answer
NO_KEY = "no-key-is-set"  # the library wants one; no word that an endpoint's error is likely to hold
logging.getLogger("httpx2").setLevel(logging.WARNING)  # it says a line for each request


def client_of(name: str) -> openai.OpenAI:
    """Return a client of a configured endpoint. Raises EndpointError. The key is read from the environment alone."""
    url = settings.ENDPOINTS.get(name)
    if not url:
        known = ", ".join(settings.ENDPOINTS) or "none"
        raise EndpointError(f"No endpoint is called {name!r} (CONCUR_ENDPOINTS). Endpoints: {known}.")
    timeout = httpx2.Timeout(SILENT_S, connect=CONNECT_S)
    key = settings.ENDPOINT_KEYS.get(name, NO_KEY)
    # No redirect is followed: an endpoint must not choose which other address is asked, or sees the prompts.
    plain = openai.DefaultHttpxClient(base_url=url, timeout=timeout, follow_redirects=False)
    return openai.OpenAI(base_url=url, api_key=key, max_retries=0, timeout=timeout, http_client=plain)


@dataclass
class Parts:
    """The parts of an answer as they arrive."""

    content: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    logprobs: list[tuple[str, float]] = field(default_factory=list)
    finish_reason: str = ""
    prompt_tokens: int = 0
    answer_tokens: int = 0
    cost: float | None = None
    characters: int = 0

    def add(self, chunk: Any) -> None:
        if chunk.usage:
            self.prompt_tokens = chunk.usage.prompt_tokens or 0
            self.answer_tokens = chunk.usage.completion_tokens or 0
            self.cost = cost_of(chunk.usage.model_extra or {})
        for choice in chunk.choices[:1]:
            more = choice.delta.model_extra or {}
            self._take(self.content, choice.delta.content)
            # vLLM, SGLang and DeepSeek: reasoning_content; newer vLLM and OpenRouter: reasoning.
            self._take(self.reasoning, more.get("reasoning_content") or more.get("reasoning"))
            self.finish_reason = choice.finish_reason or self.finish_reason
            if choice.logprobs and choice.logprobs.content:
                self.logprobs += [(token.token, token.logprob) for token in choice.logprobs.content]

    def _take(self, parts: list[str], text: Any) -> None:
        if isinstance(text, str):
            parts.append(text)
            self.characters += len(text)

    def answer(self, seconds: float) -> Answer:
        """Return the whole answer. Raises TryAgainError if it broke off."""
        if not self.finish_reason:
            raise TryAgainError("cut_off", "the answer broke off before its end")
        mean = sum(value for _, value in self.logprobs) / len(self.logprobs) if self.logprobs else None
        return Answer(
            "".join(self.content), "".join(self.reasoning), self.finish_reason[:40], self.prompt_tokens,
            self.answer_tokens, mean, seconds, self.cost, tuple(self.logprobs),
        )  # fmt: skip


def cost_of(usage: Mapping[str, Any]) -> float | None:
    """Return the cost that an endpoint states beside the tokens, as OpenRouter does; None if it states none."""
    cost = usage.get("cost")
    if isinstance(cost, bool) or not isinstance(cost, int | float):
        return None
    return float(cost) if 0 <= cost < math.inf else None


def ask(client: openai.OpenAI, model: str, messages: Messages, sampling: dict[str, Any], seed: int) -> Answer:
    """Return the answer to one request.

    Raises TryAgainError for what may pass, RequestRefusedError for this request alone, EndpointError for every one.
    """
    started = time.monotonic()
    parts, said = Parts(), partial(told, client.api_key)
    try:
        for chunk in stream_of(client, model, messages, sampling, seed):
            parts.add(chunk)
            if parts.characters > MOST_CHARACTERS:
                parts.finish_reason = "length"
                break
    except openai.APIStatusError as error:
        raise by_status(error, said(error)) from None
    except openai.APITimeoutError:
        raise TryAgainError("timeout", f"no part of an answer for {SILENT_S:.0f} s") from None
    except (openai.OpenAIError, httpx2.HTTPError) as error:
        raise TryAgainError("connection", said(error)) from None
    except (ValueError, TypeError, AttributeError) as error:
        raise TryAgainError("malformed", f"the endpoint's answer cannot be read: {said(error)}") from None
    return parts.answer(time.monotonic() - started)


def stream_of(
    client: openai.OpenAI, model: str, messages: Messages, sampling: dict[str, Any], seed: int
) -> Iterator[Any]:
    given: Any = messages
    stream = client.chat.completions.create(
        model=model,
        messages=given,
        seed=seed,
        stream=True,
        stream_options={"include_usage": True},
        **sampling,
    )
    with stream:
        yield from stream


def by_status(error: openai.APIStatusError, said: str) -> Exception:
    """Return the error that a status means."""
    status, text = error.status_code, f"the endpoint answered {error.status_code}: {said}"
    if status in BUSY or status >= 500:
        name = "rate_limit" if status == 429 else f"http_{status}"
        return TryAgainError(name, text, wait_of(error.response.headers.get("Retry-After", "")))
    if 300 <= status < 400:
        return EndpointError(
            f"the endpoint answered {status} and leads elsewhere: name that address in CONCUR_ENDPOINTS"
        )
    return EndpointError(text) if status in WRONG_FOR_ALL else RequestRefusedError(text)


def wait_of(text: str) -> float | None:
    """Return the seconds that Retry-After asks for, at most LONGEST_WAIT_S; None for a date or nothing."""
    try:
        return min(LONGEST_WAIT_S, max(0.0, float(text)))
    except ValueError:
        return None


def told(key: str, error: Exception) -> str:
    """Return what an error says, in one line of bounded length, without the key, which some endpoints repeat."""
    return " ".join(str(error).replace(key, "(the key)").split())[:300] or type(error).__name__
