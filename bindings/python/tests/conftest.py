"""What the tests share."""

from __future__ import annotations

import os
import pathlib

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


def find_cli() -> pathlib.Path | None:
    """The command line built from this tree, or None."""
    places = [os.environ.get("SPGM_CLI"), ROOT / "build/release/spgm", ROOT / "build/spgm"]
    return next((pathlib.Path(p) for p in places if p and pathlib.Path(p).is_file()), None)


@pytest.fixture(scope="session")
def cli() -> pathlib.Path:
    path = find_cli()
    if path is None:
        pytest.skip("the command line is not built (make, or set SPGM_CLI)")
    return path


@pytest.fixture(scope="session")
def shared() -> pathlib.Path:
    path = pathlib.Path(os.environ.get("SPGM_SHARED", ROOT.parent / "shared")) / "data"
    if not path.is_dir():
        pytest.skip("../shared/data is not there")
    return path


@pytest.fixture
def instance() -> tuple[np.ndarray, np.ndarray]:
    """60 x 40, five features, every twentieth target an outlier."""
    rng = np.random.default_rng(5)
    A = np.asfortranarray(rng.normal(size=(60, 40)))
    b = A[:, [3, 9, 17, 21, 33]] @ [4.0, -3, 2.5, -2, 1.5] + 0.1 * rng.normal(size=60)
    b[::20] += 50
    return A, b
