"""Gives each request a call stack in one block.

CPython keeps the frames of Python functions in blocks of 16 KB. A call that crosses the end of a block has the next one
mapped, and unmapped again when it returns: a loop that happens to run there pays a page fault for each of its calls. A
frame that asks for more than a block gets a larger one, and the calls from it use what it leaves.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

WORDS = 1 << 14  # asked for; the block is the next power of two, which leaves as much: hundreds of calls deep


def in_one_block(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: answer the request from a frame that asks for a large block."""

    def answer(request: HttpRequest) -> HttpResponse:
        return get_response(request)

    answer.__code__ = answer.__code__.replace(co_stacksize=WORDS)
    return answer
