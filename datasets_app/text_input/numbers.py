"""Whole numbers that people and programs type, in addresses, forms and requests."""

LARGEST_ID = 2**63 - 1


def whole_number(text: str, low: int, high: int) -> int | None:
    """Return the number that ASCII digits state if it is from `low` to `high`; None for anything else.

    The length is checked first: Python refuses to convert thousands of digits, and leading zeros would hide how many
    there are.
    """
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(high))):
        return None
    number = int(text)
    return number if low <= number <= high else None


def row_id(text: str) -> int | None:
    """Return the id that a text states; None for anything that no row's id can be."""
    return whole_number(text, 1, LARGEST_ID)
