"""Compares MinHash signatures of the repository's own kernels, and their errors: ours, rensa, datasketch."""

import math
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import datasketch
import rensa

from benchmarks.libraries import compare, import_cost, set_up_django

set_up_django()

from datasets_app.similarity import minhash  # noqa: E402
from datasets_app.similarity.lexing import lex  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("datasets_app/demo_pack/tasks", "tests/engine/kernels")
Words = list[str]


def kernels() -> list[Words]:
    """Return the tokens of every kernel in the repository, with local names normalised."""
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    return [[token.shape for token in lex(path.read_text())] for path in paths if path.name != "__init__.py"]


def runs(words: Words) -> list[str]:
    last = max(1, len(words) - minhash.SHINGLE_TOKENS + 1)
    return list({"\x1f".join(words[at : at + minhash.SHINGLE_TOKENS]) for at in range(last)})


def ours(words: Words) -> Any:
    return minhash.signature(minhash.shingles(words))


def by_rensa(words: Words) -> Any:
    made = rensa.CMinHash(num_perm=minhash.BINS, seed=1)
    made.update(runs(words))
    return made


def by_datasketch(words: Words) -> Any:
    made = datasketch.MinHash(num_perm=minhash.BINS)
    made.update_batch([run.encode("utf-8", "surrogatepass") for run in runs(words)])
    return made


ESTIMATES: dict[str, tuple[Callable[[Words], Any], Callable[[Any, Any], float]]] = {
    "ours": (ours, minhash.estimate),
    "rensa": (by_rensa, lambda signature, other: signature.jaccard(other)),
    "datasketch": (by_datasketch, lambda signature, other: signature.jaccard(other)),
}


def error(texts: list[Words], sign: Callable[[Words], Any], estimate: Callable[[Any, Any], float]) -> str:
    """Return the root mean square error of the estimates, over pairs that overlap."""
    signatures = [sign(words) for words in texts]
    sets = [minhash.shingles(words) for words in texts]
    squares = []
    for (signature, first), (other, second) in combinations(zip(signatures, sets, strict=True), 2):
        if (exact := minhash.jaccard(first, second)) > 0.1:
            squares.append((estimate(signature, other) - exact) ** 2)
    return f"{math.sqrt(sum(squares) / len(squares)):.4f} over {len(squares):,} pairs"


def main() -> None:
    texts = kernels()
    size = sum(map(len, texts)) / len(texts)
    print(f"{len(texts)} kernels of {size:.0f} tokens at the mean, {minhash.BINS} values per signature")
    compare(
        {name: lambda sign=sign: [sign(words) for words in texts] for name, (sign, _) in ESTIMATES.items()}
    )
    compare(
        {
            "of which lexing": lambda: kernels(),
            "of which shingles": lambda: [minhash.shingles(words) for words in texts],
        }
    )
    for name, (sign, estimate) in ESTIMATES.items():
        print(f"  {name:<44} error {error(texts, sign, estimate)}")
    import_cost("rensa", "datasketch", "datasets_app.similarity.minhash")


if __name__ == "__main__":
    main()
