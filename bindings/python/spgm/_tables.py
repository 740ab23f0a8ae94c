"""What there is to choose from, asked of the library at run time: options, methods, losses, outcomes."""

from __future__ import annotations

from typing import NamedTuple

from . import _spgm


class Option(NamedTuple):
    """One setting: see `options`."""

    name: str
    group: str
    type: str
    default: str
    choices: str
    low: float
    high: float
    open: bool
    help: str


def options() -> dict[str, Option]:
    """Every setting of the library by name.

    Returns
    -------
    dict of str to Option
        name, group ("problem", "run", "method", "search"), type, default, choices, bounds and one sentence.

    Examples
    --------
    >>> import spgm
    >>> spgm.options()["quantile"].help
    'level tau of the quantile loss'
    """
    return {row[0]: Option(*row) for row in _spgm.options()}


def methods() -> dict[str, str]:
    """Every method and what it is.

    Examples
    --------
    >>> import spgm
    >>> "spgm-bcd" in spgm.methods()
    True
    """
    return dict(_spgm.methods())


def losses() -> dict[str, str]:
    """Every loss, aliases included, and its formula in the residual r = A x - b.

    Examples
    --------
    >>> import spgm
    >>> spgm.losses()["absolute_error"]
    'sum_i |r_i|'
    """
    table: dict[str, str] = {}
    for name, aliases, formula in _spgm.losses():
        table.update(dict.fromkeys([name, *filter(None, aliases.split("|"))], formula))
    return table


OUTCOMES: dict[str, str] = dict(_spgm.outcomes())


def describe_options() -> str:
    """The options as the body of a docstring."""
    lines = []
    for option in options().values():
        kind = "{" + ", ".join(option.choices.split("|")) + "}" if option.choices else option.type
        lines.append(f"    {option.name} : {kind}, default {option.default}\n        {option.help}")
    return "\n".join(lines)
