"""Options as keywords; names, types, defaults and help come from the list of options in C++."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn, Optional

from carom import _core

TYPES = {"int": int, "float": float, "bool": bool, "str": str}


def refuse_keyword(function: str, keyword: str, known: Iterable[str]) -> NoReturn:
    """Raises what Python raises, and the known keyword that is most alike."""
    near = difflib.get_close_matches(keyword, known, 1)
    raise TypeError(
        f"{function}() got an unexpected keyword argument '{keyword}'"
        + (f"; did you mean '{near[0]}'?" if near else "")
    )


def takes_options(
    *groups: str, without: Sequence[str] = ()
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Adds the options of these groups, but for some, to a function's keywords, signature and help.

    The lines of the options replace the line `{options}` of the docstring.
    """
    listed = [
        option for option in _core.options()
        if option["group"] in groups and option["name"] not in without
    ]  # fmt: skip

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(function)
        own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        options = [option for option in listed if option["name"] not in signature.parameters]
        keywords = [
            inspect.Parameter(
                option["name"],
                inspect.Parameter.KEYWORD_ONLY,
                default=None,
                annotation=Optional[TYPES[option["type"]]],
            )
            for option in options
        ]
        if "law" in groups:
            keywords.append(
                inspect.Parameter(
                    "law_options",
                    inspect.Parameter.KEYWORD_ONLY,
                    default=None,
                    annotation=Optional[dict],
                )
            )
        known = {keyword.name for keyword in keywords} | {parameter.name for parameter in own}

        @functools.wraps(function)
        def checked(*args: Any, **arguments: Any) -> Any:
            unknown = sorted(set(arguments) - known)
            if unknown:
                refuse_keyword(function.__qualname__, unknown[0], known)
            return function(*args, **arguments)

        first = [p for p in own if p.kind is not p.KEYWORD_ONLY]
        last = [p for p in own if p.kind is p.KEYWORD_ONLY]
        checked.__signature__ = signature.replace(parameters=[*first, *keywords, *last])
        lines = []
        for option in options:
            default = "" if option["default"] is None else f", default {option['default']!r}"
            lines.append(f"{option['name']} : {option['choices'] or option['type']}{default}")
            lines.append(f"    {option['help']}")
        if function.__doc__:
            checked.__doc__ = function.__doc__.replace("{options}", "\n    ".join(lines))
        return checked

    return decorate
