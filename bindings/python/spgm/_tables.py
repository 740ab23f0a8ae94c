"""The options, methods, losses and outcomes of the library, read from it at run time."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from functools import lru_cache
from inspect import signature
from typing import Any, NamedTuple

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
    return dict(_options())


@lru_cache(maxsize=None)
def _options() -> dict[str, Option]:
    """The same, made once: every fit asks."""
    named = {"@loss": "|".join(losses()), "@method": "|".join(methods())}
    table = (Option(*row) for row in _spgm.options())
    return {option.name: option._replace(choices=named.get(option.choices, option.choices)) for option in table}


def methods() -> dict[str, str]:
    """Every method with its description.

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
    for name, aliases, formula, *_ in _spgm.losses():
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


class Loss(NamedTuple):
    """One loss as the library describes it."""

    name: str
    aliases: str
    formula: str
    parameter: str | None
    is_sum: bool
    has_labels: bool
    has_probability: bool


_LOSSES = [Loss(*row) for row in _spgm.losses()]
_BY_NAME = {alias: loss for loss in _LOSSES for alias in [loss.name, *filter(None, loss.aliases.split("|"))]}
#: What loss="auto" chooses from, by the names that scikit-learn has for them where it has one.
CANDIDATES = [_BY_NAME[name].aliases.split("|")[0] or name for name in _spgm.candidates()]
#: Options that say something of one loss only, and that loss; the first, where several have it.
PARAMETERS = {loss.parameter: loss.name for loss in reversed(_LOSSES) if loss.parameter is not None}


def find_loss(name: object) -> Loss | None:
    """What the library says of a loss, by name or alias."""
    return _BY_NAME.get(name) if isinstance(name, str) else None


def settle(
    given: dict[str, Any], loss: str | None, default: str = "l1", function: Callable[..., Any] | None = None
) -> dict[str, Any]:
    """The options with the loss among them: `loss`, or the one that a setting of it chooses, or the default.

    A name that is no option is refused, and the nearest one told, which may be a parameter of the function.
    """
    known = _options()
    for name in given:
        if name not in known:
            names = [n for n, p in signature(function).parameters.items() if p.kind is not p.VAR_KEYWORD] if function else []
            near = get_close_matches(name, [*known, *names], 1)
            hint = f"did you mean {near[0]!r}?" if near else "give options by their names, spgm.options() has all of them"
            raise TypeError(f"there is no option {name!r}: {hint}")
    settings = [name for name in PARAMETERS if given.get(name) is not None]
    chosen = loss if loss is not None else PARAMETERS[settings[0]] if settings else default
    known_loss = find_loss(chosen)
    for name in settings:
        if known_loss is None or known_loss.parameter != name:
            raise ValueError(
                f"{name} is a setting of the loss {PARAMETERS[name]!r}, but the loss is {chosen!r}: leave one of them out"
            )
    return {**given, "loss": chosen}
