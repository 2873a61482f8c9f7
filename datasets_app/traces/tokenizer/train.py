"""Creates the tokenizer that comes with the project.

    python -m datasets_app.traces.tokenizer.train [--out FILE] [--vocabulary N]

Byte-level BPE, as used by language models: it encodes any text without loss. Its pre-tokenizer splits text into
letters, groups of three digits, and punctuation, each with the space before it (OWN_CUT in counting.py).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from datasets_app.traces.tokenizer.corpus import texts
from datasets_app.traces.tokenizer.counting import OWN_CUT

OUT = Path(__file__).with_name("tokenizer.json")
VOCABULARY = 16_384


def untrained() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    cut = pre_tokenizers.Split(Regex(OWN_CUT), behavior="isolated")
    as_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([cut, as_bytes])
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def train(vocabulary: int) -> Tokenizer:
    tokenizer = untrained()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        min_frequency=3,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        max_token_length=24,
        show_progress=sys.stderr.isatty(),
    )
    tokenizer.train_from_iterator(texts(), trainer)
    return tokenizer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--vocabulary", type=int, default=VOCABULARY)
    given = parser.parse_args()
    tokenizer = train(given.vocabulary)
    tokenizer.save(str(given.out), pretty=False)
    size = given.out.stat().st_size
    sys.stdout.write(f"{given.out}: {tokenizer.get_vocab_size():,} tokens, {size / 1e6:.2f} MB\n")


if __name__ == "__main__":
    main()
