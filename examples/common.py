"""Shared by the worked examples: arguments, data files, the command line, tables and pictures.

An example is a folder with a README.md and a run.py. run.py has one function, run(case), which makes data, solves, compares, draws, and returns
the numbers that the tests check (bindings/python/tests/test_applications.py runs it in a small size).

    python3 examples/NAME/run.py              prints the numbers, writes NAME.png
    python3 examples/NAME/run.py --update     writes picture.png and the numbers into the example's README
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "bindings/python/examples"))
from _common import ACCENT, GOLD, INK, SOFT, plt  # noqa: E402, F401

BEGIN, END = "<!-- numbers: run.py --update -->\n", "<!-- end -->\n"


def processor_seconds(work: Callable[[], Any]) -> tuple[Any, float]:
    """The value of work(), and the processor time that it took."""
    began = time.process_time()
    value = work()
    return value, time.process_time() - began


def find_program() -> str | None:
    """The command line: $SPGM_CLI, the one built here, or the one installed."""
    places = [os.environ.get("SPGM_CLI"), str(ROOT / "build/release/spgm"), shutil.which("spgm")]
    return next((p for p in places if p and os.path.isfile(p)), None)


class Case:
    """One run of an example.

    Attributes
    ----------
    quick : bool
        A small size, for the tests.
    folder : pathlib.Path
        Where data files and models go.
    picture : pathlib.Path
        Where the picture goes.
    commands : list of str
        The command lines that were run, as a user would type them in `folder`.
    lines : list of str
        The tables, in Markdown.
    """

    def __init__(self, folder: pathlib.Path, picture: pathlib.Path, quick: bool = False, quiet: bool = False):
        self.folder, self.picture, self.quick, self.quiet = folder, picture, quick, quiet
        self.commands: list[str] = []
        self.lines: list[str] = []
        self.program = find_program()

    def say(self, line: str = "") -> None:
        self.lines.append(line)
        if not self.quiet:
            print(line)

    def table(self, head: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """A Markdown table; numbers with four digits."""
        if self.lines:
            self.say()
        self.say("| " + " | ".join(head) + " |")
        self.say("|" + "---|" * len(head))
        for row in rows:
            self.say("| " + " | ".join(f"{v:.4g}" if isinstance(v, float) else str(v) for v in row) + " |")

    def write(self, name: str, X: np.ndarray, y: np.ndarray, names: Sequence[str] | None = None) -> None:
        """Data as a CSV file, target last, every digit kept."""
        names = names or [f"x{j + 1}" for j in range(X.shape[1])]
        with open(self.folder / name, "w") as file:
            file.write(",".join([*names, "target"]) + "\n")
            for row, target in zip(np.asarray(X).tolist(), np.asarray(y).tolist()):
                file.write(",".join(map(repr, [*row, target])) + "\n")

    def spgm(self, command: str) -> dict[str, Any] | None:
        """Run `spgm COMMAND` in the folder; the model that it wrote to --output, or None without the program."""
        self.commands.append(f"spgm {command}")
        words = shlex.split(command)
        if self.program is None:
            return None
        subprocess.run([self.program, *words, "--quiet"], cwd=self.folder, check=True)
        return json.loads((self.folder / words[words.index("--output") + 1]).read_text())

    def same_as_python(self, command: str, objective: float) -> None:
        """Run the command line; F must be that of Python."""
        model = self.spgm(command)
        if model is not None and not np.isclose(model["objective"], objective, rtol=1e-9, atol=1e-12):
            raise AssertionError(f"F = {model['objective']} on the command line, {objective} in Python")

    def save(self, figure: plt.Figure) -> None:
        figure.savefig(self.picture, dpi=90)
        plt.close(figure)


def execute(run: Callable[[Case], dict[str, Any]], case: Case) -> dict[str, Any]:
    """run(case) with one thread for the products of NumPy: processor time is compared."""
    with threadpool_limits(1):
        return run(case)


def update_readme(path: pathlib.Path, lines: Sequence[str]) -> None:
    """Put the lines between the two marks of the README."""
    text = path.read_text()
    before, _, rest = text.partition(BEGIN)
    _, mark, after = rest.partition(END)
    if not mark:
        raise SystemExit(f"{path}: the marks are missing")
    path.write_text(before + BEGIN + "\n".join(lines) + "\n" + END + after)


def main(run: Callable[[Case], dict[str, Any]], file: str, description: str) -> None:
    here = pathlib.Path(file).resolve().parent
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a small size, as the tests run it")
    parser.add_argument("--data", type=pathlib.Path, help="keep data files and models in this folder")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path(f"{here.name}.png"), help="the picture")
    parser.add_argument("--update", action="store_true", help="write picture.png and the numbers into the README")
    chosen = parser.parse_args()
    picture = here / "picture.png" if chosen.update else chosen.output
    with tempfile.TemporaryDirectory() as scratch:
        folder = chosen.data or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        case = Case(folder, picture, chosen.quick)
        execute(run, case)
    for command in case.commands:
        print(f"ran: {command}")
    print(f"wrote {picture}")
    if chosen.update:
        update_readme(here / "README.md", case.lines)
