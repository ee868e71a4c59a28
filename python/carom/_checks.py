"""Arguments that Python checks itself."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

from carom._core import InputError


def whole_number(name: str, value: Any, least: int, most: int | None = None) -> int:
    """Raises InputError unless the value is an integer in this range."""
    # A flag is an Integral, and nobody means one.
    if isinstance(value, Integral) and not isinstance(value, bool):
        if least <= value and (most is None or value <= most):
            return int(value)
    rule = f">= {least}" if most is None else f"from {least} to {most}"
    raise InputError(f"{name} is {value!r} (must be an integer {rule})")


def finite_number(name: str, value: Any, least: float | None = 0.0, most: float | None = None,
                  *, positive: bool = False) -> float:  # fmt: skip
    """Raises InputError unless the value is a finite number in this range.

    positive : the least number itself is refused
    """
    if isinstance(value, Real) and not isinstance(value, bool) and abs(value) < float("inf"):
        is_enough = least is None or (value > least if positive else value >= least)
        if is_enough and (most is None or value <= most):
            return float(value)
    if most is not None:
        rule = f" from {least:g} to {most:g}"
    elif least is not None:
        rule = f" {'>' if positive else '>='} {least:g} and finite"
    else:
        rule = " that is finite"
    raise InputError(f"{name} is {value!r} (must be a number{rule})")
