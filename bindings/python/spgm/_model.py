"""Model files: what `spgm fit --output` writes and `spgm predict` reads."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import math
import os
import tempfile
from collections.abc import Sequence
from datetime import datetime, timezone
from typing import Any

import numpy as np
import scipy.sparse as sparse

from . import _spgm
from ._data import Column, Data
from ._solve import Result
from ._tables import OUTCOMES, find_loss
from ._tables import options as all_options

_OPENERS: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


def _opened(path: str, mode: str, name: str | None = None) -> Any:
    return _OPENERS.get(os.path.splitext(name or path)[1].lower(), open)(path, mode, encoding="utf-8")


def _plain(value: Any) -> Any:
    """A value as JSON has it: no NumPy types, null for what is not finite."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _option(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    return ("inf" if value > 0 else "-inf") if isinstance(value, float) and math.isinf(value) else value


def _default(option: Any) -> Any:
    """The default of an option, of its type."""
    if option.type == "flag":
        return option.default in ("true", "1")
    if option.type == "integer":
        return int(option.default)
    return _option(float(option.default)) if option.type == "real" else option.default


def _bounds(values: list[float]) -> Any:
    """One number where all columns have it; null stands for none."""
    return _plain(values[0]) if values and all(value == values[0] for value in values) else [_plain(value) for value in values]


def _fill(data: Data, column: Column) -> float | str:
    """What a gap became. There are none any more, but a median put among its numbers stays the median, and the most frequent level the most frequent."""
    block = data.A[:, column.columns.start : column.columns.stop]
    block = block.toarray() if sparse.issparse(block) else np.asarray(block)
    if column.levels is None:
        return float(np.median(block[:, 0]))
    counts = np.count_nonzero(block, axis=0)
    if counts.size < len(column.levels):  # the first level has no column
        counts = np.insert(counts, 0, block.shape[0] - counts.sum())
    return column.levels[int(np.argmax(counts))]


def _table(result: Result, data: Data) -> dict[str, Any] | None:
    """How the columns that the model uses came from a table, where that has more than numbers."""
    table = data.table
    missing = data.reading.get("missing", "refuse")
    if table is None or (missing == "refuse" and all(column.kind == "number" for column in table)):
        return None
    used: list[dict[str, Any]] = []
    source, level = [], []
    for j in result.support.tolist():
        number = next(k for k, column in enumerate(table) if j in column.columns)
        column = table[number]
        if not used or used[-1]["column"] != number:
            fill = _fill(data, column) if missing == "median" else None
            entry: dict[str, Any] = {"column": number, "name": column.name, "levels": column.levels, "fill": fill}
            used.append({key: value for key, value in entry.items() if value is not None})
        source.append(len(used) - 1)
        skipped = 0 if column.levels is None else len(column.levels) - len(column.columns)
        level.append(-1 if column.levels is None else j - column.columns.start + skipped)
    return {"columns": len(table), "missing": missing, **data.reading, "used": used, "source": source, "level": level}


def _check_data(result: Result, data: Data) -> None:
    columns = data.A.shape[1]
    if columns != result.coef.size:
        noun = "column" if columns == 1 else "columns"
        raise ValueError(f"the data have {columns} {noun}, but the model was made from {result.coef.size}")


def fields_of(
    result: Result,
    *,
    target: str | None = None,
    data: Data | None = None,
    labels: Sequence[float] | None = None,
    label_names: Sequence[str] | None = None,
    reproducible: bool = False,
) -> dict[str, Any]:
    """What the file of a model holds."""
    record = dict(result.record)
    names = result.names
    if data is not None:
        _check_data(result, data)
        names = data.names or names
        target = target or data.target_name
        record["table"] = _table(result, data)
        record["data"] = data.path
    options = {option.name: _default(option) for option in all_options().values()}
    options.update({name: value for name, value in (result.options or {}).items() if value is not None})
    loss = find_loss(options.get("loss"))
    if loss is not None:
        options["loss"] = loss.name
    fields: dict[str, Any] = {
        "objective": _plain(result.objective),
        "loss_value": _plain(result.loss_value),
        "smooth_value": _plain(result.smooth_value),
    }
    if math.isfinite(result.bound):
        fields["bound"] = result.bound
        fields["gap"] = _plain(result.gap)
    if result.nodes > 0:
        fields["nodes"] = int(result.nodes)
    fields["sparsity"] = int(result.support.size if result.sparsity is None else result.sparsity)
    fields["columns"] = int(result.coef.size)
    fields["support"] = result.support.tolist()
    fields["coefficients"] = result.coef[result.support].tolist()
    if names is not None:
        fields["names"] = [str(names[j]) for j in result.support]
    fields["intercept"] = _plain(float(result.intercept))
    if (target or record.get("target")) is not None:
        fields["target"] = target or record["target"]
    if labels is not None:
        fields["labels"] = [float(label) for label in labels]
    if label_names is not None:
        fields["label_names"] = list(label_names)
    if record.get("table") is not None:
        fields["table"] = record["table"]
    for key in ("lower", "upper"):
        if key in record and not all(math.isinf(value) for value in record[key]):
            fields[key] = _bounds(record[key])
    fields.update({key: record[key] for key in ("excluded", "groups", "group_limit") if key in record})
    fields["feasible"] = bool(result.feasible)
    if "groups" in record and not record["group_limit"]:
        fields["units"] = int(result.units)
    if record.get("data") is not None:
        fields["data"] = record["data"]
    if result.rows is not None:
        fields["rows"] = int(result.rows)
    fields.update({key: record[key] for key in ("weights", "free", "chosen") if record.get(key)})
    fields["outcome"] = result.outcome
    fields["certainty"] = result.certainty
    fields["verdict"] = result.verdict
    if result.restarts:
        fields["starts"] = int(result.restarts)
        fields["agreeing"] = int(result.agreeing)
        fields["spread"] = _plain(float(result.spread))
    fields["iterations"] = int(result.iterations)
    if not np.isnan(result.passes):
        fields["passes"] = float(result.passes)
    if not reproducible:
        fields["seconds"] = _plain(result.seconds)
        fields["date"] = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    fields["options"] = {name: _option(value) for name, value in options.items()}
    fields["version"] = _spgm.version()
    return fields


_SHARED = ("sparsity", "columns", "target", "data", "rows", "weights", "free", "chosen", "date", "version")


def combine(results: Sequence[Result], classes: Sequence[float], names: Sequence[str] | None, **how: Any) -> dict[str, Any]:
    """The same for more than two labels: a model for each against the rest."""
    fields: dict[str, Any] = {"classes": [float(label) for label in classes]}
    if names is not None:
        fields["class_names"] = list(names)
    models = [fields_of(result, labels=[-1.0, 1.0], **how) for result in results]
    fields.update({key: models[0][key] for key in _SHARED if key in models[0]})
    fields["models"] = models
    return fields


def write(path: str | os.PathLike[str], fields: dict[str, Any]) -> None:
    """Write a model file; it appears under its name only when complete."""
    text = "{\n  " + ",\n  ".join(f'"{key}": {json.dumps(value, allow_nan=False)}' for key, value in fields.items()) + "\n}\n"
    name = os.fspath(path)
    try:
        handle, temporary = tempfile.mkstemp(dir=os.path.dirname(name) or ".", prefix=os.path.basename(name) + ".")
    except OSError as error:  # by the name that was asked for
        error.filename = name
        raise
    os.close(handle)
    try:
        with _opened(temporary, "wt", name) as file:
            file.write(text)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, name)
    except BaseException:
        os.unlink(temporary)
        raise


def load(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The fields of a model file."""
    name = os.fspath(path)
    try:
        with _opened(name, "rt") as file:
            fields = json.load(file)
    except (UnicodeDecodeError, ValueError) as error:
        raise ValueError(f"{name}: {error}; is it a model file?") from None
    if not isinstance(fields, dict):
        raise ValueError(f"{name}: it holds no object; is it a model file?")
    return fields


_RECORDED = ("target", "table", "lower", "upper", "excluded", "groups", "group_limit", "data", "weights", "free", "chosen")


def read(path: str | os.PathLike[str], fields: dict[str, Any] | None = None) -> tuple[Result, dict[str, Any]]:
    """The result that a model file holds, or the given fields of one, and all its fields."""
    name = os.fspath(path)
    fields = load(path) if fields is None else fields
    if "quantiles" in fields:
        raise ValueError(f"{name} holds a band of {len(fields['quantiles'])} quantiles: use SparseQuantileBand.load")
    if "models" in fields:
        raise ValueError(f"{name} holds {len(fields['models'])} models, one for each label: use SparseClassifier.load")
    try:
        columns = int(fields["columns"])
        support = np.array(fields["support"], dtype=np.int64).reshape(-1)
        coef = np.zeros(columns)
        values = np.array(fields["coefficients"], dtype=np.float64)
        if values.shape != support.shape or (support < 0).any() or (np.diff(support) <= 0).any():
            raise ValueError("support and coefficients do not fit together")
        coef[support] = values
    except (KeyError, TypeError, IndexError, ValueError) as error:
        raise ValueError(f"{name}: {error}; is it a model file?") from None
    names = None
    record = {key: fields[key] for key in _RECORDED if fields.get(key) is not None}
    for key, none in (("lower", -math.inf), ("upper", math.inf)):
        if key in record:
            bounds = record[key] if isinstance(record[key], list) else [record[key]] * columns
            record[key] = [none if value is None else float(value) for value in bounds]
    if fields.get("names") is not None:
        names = [str(j) for j in range(columns)]
        for j, text in zip(support.tolist(), fields["names"]):
            names[j] = text

    def number(key: str, otherwise: float) -> float:
        return otherwise if fields.get(key) is None else float(fields[key])

    outcome = fields.get("outcome", "not_run")
    result = Result(
        coef=coef,
        intercept=number("intercept", 0.0),
        objective=number("objective", math.nan),
        loss_value=number("loss_value", math.nan),
        smooth_value=number("smooth_value", math.nan),
        bound=number("bound", -math.inf),
        support=support,
        iterations=int(fields.get("iterations", 0)),
        restarts=int(fields.get("starts", 0)),
        agreeing=int(fields.get("agreeing", 0)),
        spread=number("spread", 0.0),
        seconds=number("seconds", math.nan),
        outcome=outcome if outcome in OUTCOMES else "not_run",
        names=names,
        feasible=bool(fields.get("feasible", True)),
        units=int(fields.get("units", support.size)),
        sparsity=int(fields["sparsity"]) if "sparsity" in fields else None,
        options=dict(fields.get("options", {})),
        rows=fields.get("rows"),
        gap=number("gap", math.inf),
        nodes=int(fields.get("nodes", 0)),
        passes=float(fields.get("passes", "nan")),
        record=record,
    )
    return result, fields
