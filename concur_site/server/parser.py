"""Parses a request's head and body, and refuses what two servers could parse differently."""

from typing import Any

from waitress.parser import HTTPRequestParser, ParsingError
from waitress.utilities import BadRequest

MOST_CHUNK_LINE_BYTES = 4096
MOST_TRAILER_BYTES = 16384


class StrictParser(HTTPRequestParser):
    """waitress's parser without its two unbounded or ambiguous cases.

    A request with both Content-Length and Transfer-Encoding, or with Transfer-Encoding in HTTP/1.0, could be smuggled
    past a proxy: 400. The line before a chunk and the trailer after the last one have a maximum length.
    """

    error: Any = None

    def parse_header(self, header_plus: bytes) -> None:
        super().parse_header(header_plus)
        if "TRANSFER_ENCODING" in self.headers:  # waitress removes it in HTTP/1.1
            raise ParsingError("Transfer-Encoding needs HTTP/1.1")
        if self.chunked and "CONTENT_LENGTH" in self.headers:
            raise ParsingError("Content-Length and Transfer-Encoding together")

    def received(self, data: bytes) -> int:
        consumed: int = super().received(data)
        if self.chunked and self.error is None and has_long_line(self.body_rcv):
            self.error = BadRequest("Chunked body with a line that is too long")
            self.completed = True
        return consumed


def has_long_line(receiver: Any) -> bool:
    return len(receiver.control_line) > MOST_CHUNK_LINE_BYTES or len(receiver.trailer) > MOST_TRAILER_BYTES
