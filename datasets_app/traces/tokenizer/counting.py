"""Counts tokens with a tokenizer.json, under a name that identifies the file."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter as Occurrences
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

NAME_CHARS = 40
BATCH_CHARS = 1 << 20  # characters per batch, which bounds memory
PIECE_CHARS = 1 << 17  # characters per call: an encoding takes some hundred bytes per token
ARROW_BYTES = 1 << 17  # of texts that are split by Arrow: for fewer, Python is faster and imports nothing
HELD_BYTES, WORD_BYTES = 1 << 25, 120  # cached words; overhead per word
LONGEST_RUN = 1_000  # longest run of spaces or line ends whose count is cached

# The pre-tokenizer of the project's own tokenizer. White space is that of ASCII, which all regex engines
# define alike.
# The last space of a run belongs to what follows; line ends, other white space and the other spaces are
# separate.
OWN_CUT = r" ?(?:\p{L}+|\p{N}{1,3}|[^\p{L}\p{N}\t\n\x0b\x0c\r ]+)| +(?= )| |\n+|[\t\x0b\x0c\r]+"
SPACES, LINE_ENDS = re.compile("  +"), re.compile("\n\n+")


class TokenizerError(Exception):
    """The file is not a tokenizer; the message names the file and what to do."""


class Counter:
    """Counts with any tokenizer. Long texts are encoded in pieces, which may add a token at each cut."""

    def __init__(self, name: str, tokenizer: Tokenizer) -> None:
        self.name = name
        self.vocabulary = tokenizer.get_vocab_size()
        self.tokenizer = tokenizer

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the tokens of each text, without special ones."""
        cut = [list(pieces(text)) for text in texts]
        numbers = (n for batch in batches(chain.from_iterable(cut), PIECE_CHARS) for n in self.encoded(batch))
        return [sum(islice(numbers, len(parts))) for parts in cut]

    def encoded(self, texts: list[str]) -> list[int]:
        encodings = self.tokenizer.encode_batch_fast(
            [utf8(text).decode() for text in texts], add_special_tokens=False
        )
        return [len(encoding) for encoding in encodings]


class WordCounter(Counter):
    """Counts with a tokenizer whose pre-tokenizer is OWN_CUT: known words are looked up, at 50 MB/s.

    Every edge between a space and a word, or between a line end and anything else, is an edge of OWN_CUT too. A text
    can therefore be counted word by word, each with the space or line end before it; runs of spaces and of line ends
    are counted separately. The sum equals the encoding of the whole text (a test checks that). Arrow splits many texts
    into words and finds the distinct ones, outside of the interpreter's lock.
    """

    def __init__(self, name: str, tokenizer: Tokenizer) -> None:
        super().__init__(name, tokenizer)
        self.cached: dict[bytes, int] = {b"": 0}
        self.held_bytes = 0

    def count(self, texts: Sequence[str]) -> list[int]:
        by_words = (number for batch in batches(texts) for number in self.of_words(batch))
        return [words + self.of_runs(text) for words, text in zip(by_words, texts, strict=True)]

    def of_words(self, texts: list[str]) -> list[int]:
        """Return the tokens of words, each with the space or line end before it; of a run of spaces only the last
        one.
        """
        # Otherwise the first word would be counted with a space before it.
        begun = [b"\n" + utf8(text) for text in texts]
        few = sum(map(len, begun)) < ARROW_BYTES
        sums = [self.sum_of(text) for text in begun] if few else self.sums_by_arrow(begun)
        return [count - 1 for count in sums]  # without the line end added before it

    def sum_of(self, text: bytes) -> int:
        return sum(self.lengths(text.replace(b"\n", b" \n").split(b" ")))

    def sums_by_arrow(self, texts: list[bytes]) -> list[int]:
        import pyarrow as pa  # late: half a second of import, which most processes do not need
        import pyarrow.compute as pc

        spaced = pc.replace_substring(pa.array(texts, pa.large_binary()), b"\n", b" \n")
        cut = pc.split_pattern(spaced, b" ")
        words = cut.flatten().dictionary_encode()
        counts = pa.array(self.lengths(words.dictionary.to_pylist()), pa.int32())
        sums = pc.cumulative_sum(counts.take(words.indices))
        ends = sums.take(pc.subtract(cut.offsets[1:], 1)).to_pylist()
        return [end - start for start, end in pairwise([0, *ends])]

    def lengths(self, words: list[bytes]) -> list[int]:
        """Return the tokens of each word. A full cache is replaced, not emptied: another thread may read it."""
        if self.held_bytes > HELD_BYTES:
            self.cached, self.held_bytes = {b"": 0}, 0
        cached = self.cached
        if missing := [word for word in dict.fromkeys(words) if word not in cached]:
            spelt = [word.decode() if word.startswith(b"\n") else f" {word.decode()}" for word in missing]
            cached.update(zip(missing, super().count(spelt), strict=True))
            self.held_bytes += sum(map(len, missing)) + WORD_BYTES * len(missing)
        return [cached[word] for word in words]

    def of_runs(self, text: str) -> int:
        """Return the tokens of runs of spaces that of_words omits, less those of runs of line ends that it counts
        too often.
        """
        # The last one belongs to the word.
        spaces = sum(self.encoded_length(run) - 1 for run in SPACES.findall(text))
        before_line_ends = text.count(" \n") + text.endswith(" ")
        repeated = sum(
            times * (len(run) - self.encoded_length(run))
            for run, times in Occurrences(LINE_ENDS.findall(text)).items()
        )
        return spaces + before_line_ends - repeated

    def encoded_length(self, run: str) -> int:
        return self.remembered_length(run) if len(run) <= LONGEST_RUN else super().count([run])[0]

    @lru_cache(maxsize=4096)  # noqa: B019  one counter a process
    def remembered_length(self, run: str) -> int:
        return super().count([run])[0]


def utf8(text: str) -> bytes:
    """Return the text in UTF-8; lone surrogates are not text to a tokenizer."""
    return text.encode("utf-8", "replace")


def pieces(text: str) -> Iterator[str]:
    """Yield the text in parts of at most PIECE_CHARS, split before a line end or a space if possible."""
    at = 0
    while len(text) - at > PIECE_CHARS:
        end = max(text.rfind(edge, at, at + PIECE_CHARS) for edge in "\n ")
        end = end if end > at else at + PIECE_CHARS
        yield text[at:end]
        at = end
    yield text[at:]


def batches(texts: Iterable[str], chars: int = BATCH_CHARS) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text)
        if size >= chars:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def load(path: Path, label: str = "") -> Counter:
    """Return the counter of a tokenizer.json. Raises TokenizerError."""
    try:
        data = path.read_bytes()
        tokenizer = Tokenizer.from_str(data.decode())
        described = json.loads(data)
    except OSError as error:
        raise TokenizerError(f"{path} cannot be read: {error.strerror}.") from error
    except Exception as error:  # the library raises plain Exception for an invalid file
        raise TokenizerError(
            f"{path} is not a tokenizer.json of the tokenizers library: {str(error)[:200]}."
        ) from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    kind = WordCounter if has_own_cut(described) else Counter
    return kind(f"{label or label_of(path)}@{hashlib.sha256(data).hexdigest()[:8]}", tokenizer)


def label_of(path: Path) -> str:
    """Return the file's name, or its folder's if such files usually share one name."""
    name = path.parent.name if path.stem == "tokenizer" else path.stem
    return re.sub(r"[^\w.\-]+", "-", name)[:NAME_CHARS] or "tokenizer"


def has_own_cut(described: dict[str, Any]) -> bool:
    """Return whether nothing in the file joins or changes text across the edges of words."""
    steps = (described.get("pre_tokenizer") or {}).get("pretokenizers") or [{}]
    cut = steps[0].get("pattern", {}).get("Regex") == OWN_CUT and steps[0].get("behavior") == "Isolated"
    plain = not described.get("normalizer") and not described.get("added_tokens")
    return bool(cut and plain and len(steps) == 2 and steps[1].get("type") == "ByteLevel")
