"""Where elements of an output are wrong, and how they are written in a report."""

from __future__ import annotations

from dataclasses import dataclass

import torch

# Of more wrong elements of one output, as many are drawn to be asked about; see explained.py.
_KEPT = 2**16


@dataclass(frozen=True)
class Place:
    """A chunk of an output: its name, the truth, and the chunk's first element in flat form."""

    where: str
    truth: torch.Tensor
    start: int

    def index(self, number: int) -> list[int]:
        """Return the index of an element of the chunk."""
        shape = [*self.truth.shape, 2] if self.truth.dtype.is_complex else list(self.truth.shape)
        rest, places = self.start + number, []
        for size in reversed(shape):
            rest, place = divmod(rest, size)
            places.append(place)
        return places[::-1]


@dataclass(frozen=True)
class WrongElements:
    """Wrong elements of one output, all or some drawn from them: their places in its flat form and their errors, of
    shape [n] both."""

    places: torch.Tensor
    gaps: torch.Tensor

    def joined(self, other: WrongElements) -> WrongElements:
        """Return these and others of the same output."""
        pairs = ((self.places, other.places), (self.gaps, other.gaps))
        return WrongElements(*map(torch.cat, pairs)).drawn()

    def drawn(self) -> WrongElements:
        """Return no more of them than are kept."""
        count = self.places.numel()
        if count <= _KEPT:
            return self
        drawn = torch.randint(count, (_KEPT,), device=self.places.device)
        return WrongElements(self.places[drawn], self.gaps[drawn])


def text(value: torch.Tensor) -> str:
    """Return a value as it is written in a report."""
    number = value.item()
    return f"{number:.8g}" if isinstance(number, float) else str(number)
