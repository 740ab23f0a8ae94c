from collections.abc import Callable
from typing import Any, overload

CV_EFFORT: int
CV_FIT_SHARE: float
Info = tuple[float, float, float, float, int, int, int, int, float, float, str, int, bool, float, int, float]
Row = tuple[str, int, float, float, float, float, float, float, float, int, float]
TableColumn = tuple[str | None, str, int, list[str] | None, int, int]
Parts = tuple[
    int,
    int,
    int,
    Any,
    Any,
    Any,
    Any,
    Any,
    list[str] | None,
    str | None,
    str | None,
    Any,
    list[str] | None,
    list[TableColumn] | None,
    list[int] | None,
    list[int] | None,
]

class UnsupportedError(ValueError): ...

class Problem:
    def __init__(self, A: Any, b: Any, options: dict[str, Any], comm: Any = None, seconds: float = 0.0, /) -> None: ...
    def rows(self) -> int: ...
    def record(self) -> dict[str, Any]: ...
    def weights(self, weights: Any, /) -> None: ...
    def slopes(self, up: Any, down: Any, dead: Any, /) -> None: ...
    def merge_rows(self) -> int: ...
    def free_columns(self, columns: Any, /) -> None: ...
    def bounds(self, lower: Any, upper: Any, /) -> None: ...
    def excluded(self, columns: Any, /) -> None: ...
    def groups(self, group_of_column: Any, limit: int, /) -> None: ...
    def linear(self, p: Any, /) -> None: ...
    def quadratic(self, Q: Any, /) -> None: ...
    def least_squares(self, C: Any, d: Any, /) -> None: ...
    def evaluate(self, x: Any, intercept: float, /) -> tuple[float, float, float]: ...
    def stationary(
        self, x: Any, intercept: float, sparsity: int, block: int, options: dict[str, Any], better: Any, /
    ) -> tuple[float, float, float, bool, bool, float, float, int, bool, bool, bool, int, float, float, float]: ...
    def solve(
        self,
        sparsity: int,
        options: dict[str, Any],
        x: Any,
        start: Any,
        start_intercept: float,
        callback: Callable[..., object] | None,
        trace: bool,
        certificate: Any,
        /,
    ) -> tuple[float, Info, dict[str, float], list[Row] | None]: ...

    def path(
        self,
        sparsities: Any,
        options: dict[str, Any],
        coefficients: Any,
        callback: Callable[..., object] | None,
        /,
    ) -> tuple[list[tuple[int, float, Info]], float, dict[str, tuple[list[float], int] | str]]: ...

    @overload
    def cv(
        self,
        sparsities: Any,
        options: dict[str, Any],
        folds: int,
        fold_of_row: Any,
        callback: Callable[..., object] | None,
        ridges: Any,
        others: tuple[Problem, ...],
        judge: Problem | None,
        piece: tuple[int, int, int, int, int, int, float, bytes],
        /,
    ) -> tuple[bytes, bytes]: ...

    @overload
    def cv(
        self,
        sparsities: Any,
        options: dict[str, Any],
        folds: int,
        fold_of_row: Any,
        callback: Callable[..., object] | None,
        ridges: Any,
        others: tuple[Problem, ...],
        judge: Problem | None,
        rounds: Callable[..., object] | None,
        /,
    ) -> tuple[list[tuple[float, list[tuple[int, list[float], float, float]]]], dict[str, tuple[int, int]], bool, bool]: ...

    def project(
        self,
        problems: tuple[Problem, ...],
        which: Any,
        sparsities: Any,
        ridges: Any,
        by_deviation: bool,
        losses: Any,
        folds: int,
        fold_of_row: Any,
        options: dict[str, Any],
        callback: Callable[..., object] | None,
        target: Any,
        linear: Any,
        /,
    ) -> tuple[int, float]: ...
    def band(
        self,
        levels: Any,
        sparsity: int,
        options: dict[str, Any],
        common_columns: bool,
        calibration: str,
        coefficients: Any,
        held_out: Any,
        callback: Callable[..., object] | None,
        /,
    ) -> list[tuple[float, Info, float]]: ...

    def stability(
        self,
        sparsity: int,
        options: dict[str, Any],
        halves: int,
        independent: bool,
        bootstrap: int,
        threshold: float,
        x: Any,
        frequencies: Any,
        callback: Callable[..., object] | None,
        /,
    ) -> tuple[float, Info, int, list[tuple[list[tuple[int, float]], float] | None], tuple[int, float, float, float, float]]: ...

def class_shifts(scores: Any, class_of_row: Any, weights: Any, shifts: Any, /) -> None: ...
def arrange(levels: Any, shifts: Any, values: Any, /) -> None: ...
def verdict(outcome: str, starts: int, agreeing: int, spread: float, /) -> tuple[str, str]: ...
def read(
    path: str,
    options: dict[str, str | None],
    no_target: bool,
    text_target: bool,
    columns: int,
    target_file: str | None,
    /,
) -> Parts: ...
def generate(
    name: str, seed: int, from_: str | None, support: int, noise: float, raw: bool, real_target: bool, /
) -> Parts: ...
def options() -> list[tuple[str, str, str, str, str, float, float, bool, str]]: ...
def methods() -> list[tuple[str, str]]: ...
def losses() -> list[tuple[str, str, str, str | None, bool, bool, bool]]: ...
def candidates() -> list[str]: ...
def outcomes() -> list[tuple[str, str]]: ...
def version() -> str: ...
