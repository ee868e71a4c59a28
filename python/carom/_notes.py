"""What the notes of a run (docs/notes.md) become in Python."""

from __future__ import annotations

import warnings
from typing import Any

from carom._core import RunError


class CaromWarning(UserWarning):
    """A note of severity "warning": the set may lack outcomes, or not be the one that was meant."""


class NoOutcomeError(RunError):
    """No trajectory ended in an outcome. `found` is what the call would have returned: a set without
    outcomes, or the results of a family of which no member has outcomes; `notes` are its notes."""

    def __init__(self, text: str, found: Any, notes: list[dict[str, Any]]):
        super().__init__(text)
        self.found = found
        self.notes = notes


def tell(found: Any, notes: list[dict[str, Any]]) -> Any:
    """Warns of what the notes of a result warn of, and raises their error; the result itself else.

    To be called by a function under `takes_options`: the warnings name the line that called it.
    """
    error = ""
    for note in notes:
        text = note.get("sentence", note["text"])  # of a family: of how many members
        if note["severity"] == "warning":
            warnings.warn(text, CaromWarning, stacklevel=4)
        if note["severity"] == "error":
            error = text
    if error:
        raise NoOutcomeError(error, found, notes)
    return found
