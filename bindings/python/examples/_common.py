"""Shared by the examples: their arguments and the style of their pictures."""

from __future__ import annotations

import argparse
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

INK, ACCENT, SOFT, GOLD = "#1b3a57", "#d1495b", "#9fb3c8", "#edae49"

plt.rcParams.update(
    {
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.titlesize": 11,
        "axes.titlelocation": "left",
        "figure.constrained_layout.use": True,
        "font.size": 10,
        "legend.frameon": False,
        "savefig.dpi": 130,
    }
)


def arguments(description: str) -> argparse.Namespace:
    """--quick for the tests, --output for the picture."""
    parser = argparse.ArgumentParser(description=description)
    name = pathlib.Path(__import__("__main__").__file__).stem
    parser.add_argument("--output", default=f"{name}.png", help="the picture")
    parser.add_argument("--quick", action="store_true", help="less work, for the tests")
    chosen = parser.parse_args()
    chosen.effort = 1 if chosen.quick else None
    return chosen


def save(figure: plt.Figure, arguments: argparse.Namespace) -> None:
    figure.savefig(arguments.output)
    print(f"wrote {arguments.output}")
