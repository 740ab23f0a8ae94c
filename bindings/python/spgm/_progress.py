"""A live line for `verbose`, and the record a callback sees."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple


class Progress(NamedTuple):
    """One iteration, as a callback sees it and as one row of a trace."""

    method: str
    iteration: int
    mu: float
    objective: float
    best: float
    penalised: float
    step: float
    infeasibility: float
    seconds: float
    support: int
    fraction: float


Callback = Callable[[Progress], object]


class Line:
    """One line on stderr that is rewritten; a bar where the library knows how far it is."""

    def __init__(self, verbose: int, label: str = "") -> None:
        self.label = label
        self.live = sys.stderr.isatty()
        self.verbose = verbose
        self.shown = 0

    def show(self, p: Progress) -> None:
        text = f"{self.label}{p.method or 'spgm'}  "
        if p.fraction > 0:
            filled = int(20 * min(p.fraction, 1.0))
            left = p.seconds * (1 / p.fraction - 1)
            text += f"{p.fraction:4.0%} |{'#' * filled}{' ' * (20 - filled)}| {p.seconds:.1f} s, about {left:.1f} s left"
        else:
            text += f"iteration {p.iteration}  mu {p.mu:.2g}  {p.seconds:.1f} s"
        if p.best == p.best:  # a fold of a cross-validation may not know
            text += f"  F {p.best:.8g}  support {p.support}"
        if self.live:
            sys.stderr.write("\r" + text.ljust(self.shown))
            self.shown = len(text)
        elif self.verbose > 1:
            sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def close(self, text: str) -> None:
        sys.stderr.write(("\r" if self.live else "") + (self.label + text).ljust(self.shown) + "\n")


def watcher(callback: Callback | None, line: Line | None) -> Callable[..., object] | None:
    """What the extension calls every 50 ms, or None when nobody wants to know."""
    if callback is None and line is None:
        return None

    def watch(*row: object) -> object:
        progress = Progress(*row)  # type: ignore[arg-type]
        if line is not None:
            line.show(progress)
        return callback(progress) if callback is not None else False

    return watch
