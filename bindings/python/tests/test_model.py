"""Model files: Python writes what the command line reads, and the other way round."""

from __future__ import annotations

import json
import os
import subprocess

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone

import spgm

CLI = os.environ.get("SPGM_CLI")
needs_cli = pytest.mark.skipif(CLI is None, reason="SPGM_CLI names no command line")


def predictions(model, data, *flags):
    out = subprocess.run([CLI, "predict", model, data, *flags], capture_output=True, text=True, check=True).stdout.split("\n")[:-1]
    return [line.split(",") for line in out[1:]]


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(5)
    A = rng.normal(size=(40, 5))
    y = 2 * A[:, 1] - A[:, 3] + 0.1 * rng.normal(size=40)
    path = tmp_path / "data.csv"
    np.savetxt(path, np.column_stack([A, y]), delimiter=",", header="a,b,c,d,e,y", comments="", fmt="%.17g")
    return A, y, path


def test_results_go_through_a_file(tmp_path, table):
    A, y, _ = table
    result = spgm.solve(A, y, 2, loss="quantile", quantile=0.7, time_limit=np.inf)
    for name in ("model.json", "model.json.gz"):
        result.save(tmp_path / name)
        again = spgm.Result.load(tmp_path / name)
        assert np.array_equal(again.coef, result.coef) and again.intercept == result.intercept
        assert again.objective == result.objective and again.outcome == result.outcome and again.sparsity == 2
        assert again.options["quantile"] == 0.7 and again.rows == 40
        assert np.array_equal(again.predict(A), result.predict(A))
    assert [name.name for name in tmp_path.iterdir() if "." in name.name and "model" in name.name] != []
    result.save(tmp_path / "a.json", reproducible=True)
    result.save(tmp_path / "b.json", reproducible=True)
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert sorted(name.name for name in tmp_path.iterdir()) == ["a.json", "b.json", "data.csv", "model.json", "model.json.gz"]


def test_what_is_no_model_is_said(tmp_path):
    for text in ("{}", "[1]", "not json", '{"columns": 2, "support": [2], "coefficients": [1]}',
                 '{"columns": 2, "support": [0], "coefficients": []}'):
        (tmp_path / "bad.json").write_text(text)
        with pytest.raises(ValueError, match=r"bad.json: .*is it a model file\?"):
            spgm.Result.load(tmp_path / "bad.json")


@needs_cli
def test_the_command_line_takes_models_of_estimators(tmp_path, table):
    A, y, path = table
    model = spgm.SparseRegressor(2).fit(A, y)
    model.save(tmp_path / "model.json", target="y")
    seen = [float(line[0]) for line in predictions(tmp_path / "model.json", path)]
    assert np.allclose(seen, model.predict(A), rtol=1e-12)
    again = spgm.SparseRegressor.load(tmp_path / "model.json")
    assert np.array_equal(again.predict(A), model.predict(A)) and again.n_nonzero_coefs == 2
    assert np.array_equal(clone(again).fit(A, y).coef_, model.coef_)


@needs_cli
@pytest.mark.parametrize("labels", [(-1, 1), ("no", "yes")])
def test_classifiers_go_both_ways(tmp_path, table, labels):
    A, y, path = table
    classes = np.where(y > 0, labels[1], labels[0])
    model = spgm.SparseClassifier(2, loss="logistic").fit(A, classes)
    model.save(tmp_path / "model.json", target="y")
    seen = [line[1] for line in predictions(tmp_path / "model.json", path)]
    assert seen == [str(label) for label in model.predict(A)]
    again = spgm.SparseClassifier.load(tmp_path / "model.json")
    assert again.predict(A).tolist() == model.predict(A).tolist()
    assert np.array_equal(again.predict_proba(A), model.predict_proba(A)) and again.alpha == 1
    with pytest.raises(ValueError, match="SparseClassifier.load"):
        spgm.SparseRegressor.load(tmp_path / "model.json")


@needs_cli
def test_models_of_the_command_line_are_loaded(tmp_path, table):
    A, y, path = table
    file = tmp_path / "cli.json"
    subprocess.run([CLI, "fit", path, "-s", "2", "--ridge", "0.5", "--output", file], check=True)
    model = spgm.SparseRegressor.load(file)
    seen = [float(line[0]) for line in predictions(file, path)]
    assert np.allclose(model.predict(A), seen, rtol=1e-12) and model.alpha == 0.5
    assert model.result_.name_of(model.support_[0]) == json.loads(file.read_text())["names"][0]
    with pytest.raises(ValueError, match="SparseRegressor.load"):
        spgm.SparseClassifier.load(file)


@needs_cli
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic"])
def test_classifiers_have_the_same_defaults_here_and_there(tmp_path, table, loss):
    A, y, _ = table
    file = tmp_path / "labels.csv"
    np.savetxt(file, np.column_stack([A, np.sign(y)]), delimiter=",", header="a,b,c,d,e,y", comments="", fmt="%.17g")
    subprocess.run([CLI, "fit", file, "-s", "2", "--loss", loss, "--output", tmp_path / "cli.json"], check=True)
    theirs = json.loads((tmp_path / "cli.json").read_text())
    assert theirs["options"]["ridge"] == spgm.SparseClassifier().alpha
    assert theirs["objective"] == pytest.approx(spgm.SparseClassifier(2, loss=loss).fit(A, np.sign(y)).objective_, rel=1e-9)


@needs_cli
@pytest.mark.parametrize("names", [None, ["low", "mid", "top"]])
def test_three_classes_go_both_ways(tmp_path, table, names):
    A, y, path = table
    kinds = np.digitize(y, [-1, 1])
    classes = kinds if names is None else np.array(names)[kinds]
    model = spgm.SparseClassifier(2).fit(A, classes)
    model.save(tmp_path / "model.json", target="y")
    seen = [line[1] for line in predictions(tmp_path / "model.json", path)]
    assert seen == [str(label) for label in model.predict(A)]
    again = spgm.SparseClassifier.load(tmp_path / "model.json")
    assert again.predict(A).tolist() == model.predict(A).tolist() and len(again.results_) == 3
    with pytest.raises(ValueError, match="3 models.*SparseClassifier.load"):
        spgm.Result.load(tmp_path / "model.json")
    file = tmp_path / "labels.csv"
    np.savetxt(file, np.column_stack([A, kinds]), delimiter=",", header="a,b,c,d,e,y", comments="", fmt="%.17g")
    subprocess.run([CLI, "fit", file, "-s", "2", "--loss", "hinge", "--output", tmp_path / "cli.json"], check=True)
    theirs = spgm.SparseClassifier.load(tmp_path / "cli.json")
    ours = spgm.SparseClassifier(2).fit(A, kinds)
    assert theirs.predict(A).astype(int).tolist() == ours.predict(A).tolist()
    assert np.allclose(theirs.intercept_, ours.intercept_, rtol=1e-6)  # those of the classes are moved together, here and there


def test_frames(table):
    pytest.importorskip("pandas")
    A, y, _ = table
    path = spgm.path(A, y, [0, 1, 2])
    frame = path.to_frame()
    assert frame.index.tolist() == [0, 1, 2] and np.array_equal(frame["objective"], path.objective)
    assert np.array_equal(frame.loc[2, [str(j) for j in path[2].support]], path[2].coef[path[2].support])
    cv = spgm.cross_validate(A, y, [1, 2], folds=4)
    frame = cv.to_frame()
    assert np.array_equal(frame[[f"fold{k}" for k in range(1, 5)]], cv.losses) and frame.index[frame["best"]].tolist() == [cv.best]


KEPT = ("free", "lower", "upper", "excluded", "groups", "group_limit", "weights", "units", "sparsity", "rows", "feasible", "options")


@needs_cli
def test_the_record_is_that_of_the_command_line(tmp_path, table):
    """What made the model is in its file: bounds, groups, free and excluded columns, weights, every option."""
    pandas = pytest.importorskip("pandas")
    A, y, path = table
    frame = pandas.DataFrame(A, columns=list("abcde"))
    weights = np.linspace(0.5, 2, 40)
    np.savetxt(tmp_path / "w.csv", weights, fmt="%.17g")
    (tmp_path / "lower.csv").write_text("b,-0.5\nd,-0.5\n")
    (tmp_path / "groups.csv").write_text("b,x\nd,x\ne,z\n")
    command = [CLI, "fit", path, "-s", "1", "--free", "a", "--exclude", "c", "--lower", tmp_path / "lower.csv", "--upper", "3",
               "--groups", tmp_path / "groups.csv", "--weights", tmp_path / "w.csv", "--seed", "7", "--output"]
    # The command line leaves an excluded column of a CSV file unread; among columns without a table it is one of the set.
    np.save(tmp_path / "A.npy", A)
    np.save(tmp_path / "y.npy", y)
    (tmp_path / "names").write_text("\n".join("abcde"))
    command[2] = tmp_path / "A.npy"
    subprocess.run([*command, tmp_path / "cli.json", "--target", tmp_path / "y.npy", "--names", tmp_path / "names"], check=True)
    model = spgm.SparseRegressor(1, random_state=7, free_columns=["a"], exclude=["c"], lower={"b": -0.5, 3: -0.5}, upper=3.0,
                                 groups={"b": "x", "d": "x", 4: "z"}).fit(frame, y, sample_weight=weights)
    model.save(tmp_path / "model.json")
    result = spgm.solve(frame, y, 1, seed=7, free_columns=[0], exclude=["c"], lower={"b": -0.5, "d": -0.5}, upper=3.0,
                        groups={"b": 1, "d": 1, "e": 2}, weights=weights)
    result.save(tmp_path / "solve.json")
    spgm.Result.load(tmp_path / "cli.json").save(tmp_path / "again.json")
    theirs = json.loads((tmp_path / "cli.json").read_text())
    assert theirs["free"] == [0] and theirs["excluded"] == [2] and theirs["groups"] == [-1, 0, -1, 0, 1]
    for name in ("model.json", "solve.json", "again.json"):
        ours = json.loads((tmp_path / name).read_text())
        for key in KEPT:
            if key in ("options",):
                assert set(ours[key]) == set(theirs[key])
                assert ours[key]["seed"] == 7 and ours[key]["time_limit"] == "inf" and ours[key]["intercept"] is True
            else:
                assert ours[key] == pytest.approx(theirs[key], rel=1e-12) if key == "weights" else ours[key] == theirs[key], (name, key)
        assert ours["objective"] == pytest.approx(theirs["objective"], rel=1e-9)
    for name in ("cli.json", "model.json"):  # and so the model is judged within what it was asked for
        out = subprocess.run([CLI, "check", tmp_path / name, tmp_path / "A.npy", "--target", tmp_path / "y.npy", "--names",
                              tmp_path / "names", "--weights", tmp_path / "w.csv"], capture_output=True, text=True, check=True).stdout
        assert "1 of at most 1 groups" in out and "basic       yes" in out


def test_the_record_says_how_s_was_chosen(tmp_path, table):
    A, y, _ = table
    for rule, words in (("min", "lowest mean"), ("1se", "one standard error")):
        model = spgm.SparseRegressorCV(3, cv=4, rule=rule).fit(A, y)
        model.save(tmp_path / "model.json")
        chosen = json.loads((tmp_path / "model.json").read_text())["chosen"]
        assert "4 folds" in chosen and words in chosen and "1 to 3" in chosen
    classes = np.digitize(y, [-1, 1])
    model = spgm.SparseClassifierCV([1, 2], cv=4).fit(A, classes)
    model.save(tmp_path / "model.json")
    fields = json.loads((tmp_path / "model.json").read_text())
    assert all("4 folds" in part["chosen"] for part in fields["models"]) and "4 folds" in fields["chosen"]


@needs_cli
def test_models_of_a_table_take_the_raw_table(tmp_path):
    """Text is encoded by the model as `spgm.read` did it."""
    rng = np.random.default_rng(3)
    region, size = rng.choice(["North", "South", "West"], 30), rng.normal(size=30)
    price = 3 * size + 5 * (region == "South") - 2 * (region == "West") + 0.01 * rng.normal(size=30)
    path = tmp_path / "houses.csv"
    path.write_text("note,Region,size,price\n" + "".join(f"x,{r},{s:.17g},{p:.17g}\n" for r, s, p in zip(region, size, price)))
    for categories in (None, "full"):
        data = spgm.read(path, exclude="note", categories=categories)
        frame = data.to_frame()
        assert list(frame.columns) == data.names and np.array_equal(frame.to_numpy(), data.A)
        result = spgm.solve(frame, data.b, 2)
        result.save(tmp_path / "model.json", data=data)
        seen = [float(line[0]) for line in predictions(tmp_path / "model.json", path)]
        assert np.allclose(seen, result.predict(data.A), rtol=1e-12)
        fields = json.loads((tmp_path / "model.json").read_text())
        assert fields["target"] == "price" and fields["data"] == str(path)
        extra = [] if categories is None else ["--categories", "full"]
        subprocess.run([CLI, "fit", path, "-s", "2", "--exclude", "note", *extra, "--output", tmp_path / "cli.json"], check=True)
        assert json.loads((tmp_path / "cli.json").read_text())["table"] == fields["table"]
        estimator = spgm.SparseRegressor(2).fit(frame, data.b)
        estimator.save(tmp_path / "estimator.json", data=data)
        assert json.loads((tmp_path / "estimator.json").read_text())["table"] == fields["table"]
        spgm.Result.load(tmp_path / "cli.json").save(tmp_path / "again.json")
        assert json.loads((tmp_path / "again.json").read_text())["table"] == fields["table"]
    other = spgm.read(path, only="size")
    with pytest.raises(ValueError, match="1 column.*4"):
        result.save(tmp_path / "model.json", data=other)


@needs_cli
def test_models_of_a_table_with_gaps_take_the_raw_table(tmp_path):
    """What a gap became, and what was left out, is in the file as the command line has it, and it goes on from there."""
    rng = np.random.default_rng(4)
    region, size, code = rng.choice(["North", "South", "West"], 40), rng.normal(size=40), rng.integers(0, 3, 40)
    price = 3 * size + 5 * (region == "South") + code + 0.01 * rng.normal(size=40)
    rows = [[str(k), r, f"{s:.17g}", str(c), f"{p:.17g}"] for k, (r, s, c, p) in enumerate(zip(region, size, code, price))]
    for k, j in ((3, 1), (17, 2), (20, 1), (20, 2)):
        rows[k][j] = ""
    path = tmp_path / "houses.csv"
    path.write_text("note,Region,size,code,price\n" + "".join(",".join(row) + "\n" for row in rows))
    ways = (
        {"missing": "median", "exclude": "note"},
        {"missing": "drop", "only": "Region,size"},
        {"missing": "median", "text": "code", "categories": "full"},
    )
    for how in ways:
        data = spgm.read(path, **{key: value.split(",") if key == "only" else value for key, value in how.items()})
        result = spgm.solve(data.A, data.b, 3)
        result.save(tmp_path / "model.json", data=data)
        flags = [word for key, value in how.items() for word in (f"--{key}", value)]
        subprocess.run([CLI, "fit", path, "-s", "3", *flags, "--output", tmp_path / "cli.json"], check=True)
        assert json.loads((tmp_path / "model.json").read_text())["table"] == json.loads((tmp_path / "cli.json").read_text())["table"]
        seen = [float(line[0]) for line in predictions(tmp_path / "model.json", path, "--missing", how["missing"]) if line[0]]
        assert np.allclose(seen, result.predict(data.A), rtol=1e-9)
        checked = subprocess.run([CLI, "check", tmp_path / "model.json", path, "--json"], check=True, capture_output=True, text=True).stdout
        assert np.isclose(json.loads(checked)["objective"], result.objective, rtol=1e-9)


def test_columns_of_another_order_are_refused(tmp_path, table):
    """A model that knows the names of its columns takes no others for them."""
    pandas = pytest.importorskip("pandas")
    A, y, _ = table
    frame = pandas.DataFrame(A, columns=list("abcde"))
    result = spgm.solve(frame, y, 2)
    result.save(tmp_path / "model.json")
    other = frame[list("bacde")]
    for model in (result, spgm.Result.load(tmp_path / "model.json"), spgm.SparseRegressor.load(tmp_path / "model.json")):
        assert np.array_equal(model.predict(frame), model.predict(A))
        with pytest.raises(ValueError, match="column 1 of the model is 'b', but of the data 'a'"):
            model.predict(other)


@needs_cli
def test_ties_go_the_same_way_everywhere(tmp_path):
    """Rows on the margin of two classes have equal scores up to the last bit: the order of the sum decides."""
    rng = np.random.default_rng(11)
    A = rng.normal(size=(80, 3)).round(2)
    kinds = (A[:, 0] > 0).astype(int) + (A[:, 1] > 0)
    path = tmp_path / "data.csv"
    np.savetxt(path, np.column_stack([A, kinds]), delimiter=",", header="a,b,c,y", comments="", fmt="%.17g")
    for loss in ("hinge", "squared_hinge", "logistic"):
        model = spgm.SparseClassifier(2, loss=loss).fit(A, kinds)
        model.save(tmp_path / "model.json", target="y")
        lines = predictions(tmp_path / "model.json", path)
        scores = model.decision_function(A)
        assert [float(line[0]) for line in lines] == scores.max(axis=1).tolist()
        assert [int(line[1]) for line in lines] == model.predict(A).tolist()
        again = spgm.SparseClassifier.load(tmp_path / "model.json")
        assert np.array_equal(again.decision_function(scipy.sparse.csr_matrix(A)), scores)


def test_models_are_refitted_as_they_were_made(tmp_path, table):
    A, y, _ = table
    model = spgm.SparseRegressor(1, free_columns=[0], exclude=[2], lower=[-0.5] * 5, upper=3.0, groups=[None, 0, None, 0, 1]).fit(A, y)
    model.save(tmp_path / "model.json")
    again = clone(spgm.SparseRegressor.load(tmp_path / "model.json")).fit(A, y)
    assert np.array_equal(again.coef_, model.coef_) and again.result_.record == model.result_.record


@pytest.mark.parametrize("labels", [["a", "b"], ["a", "b", "c"], [3, 4], [True, False]])
def test_class_weights_are_kept(tmp_path, labels):
    rng = np.random.default_rng(8)
    X = rng.normal(size=(60, 4))
    y = np.array(labels)[np.minimum(np.argmax(X[:, : len(labels)] + [1, 0, 0][: len(labels)], axis=1), len(labels) - 1)]
    for weight in (None, "balanced", dict(zip(np.array(labels), [1, 5.5, 2]))):
        model = spgm.SparseClassifier(2, class_weight=weight).fit(X, y)
        model.save(tmp_path / "model.json")
        again = spgm.SparseClassifier.load(tmp_path / "model.json")
        assert again.class_weight == weight
        assert np.allclose(clone(again).fit(X, y).coef_, model.coef_, atol=1e-9)


def test_models_of_version_0_1_0_are_loaded():
    folder = os.path.join(os.path.dirname(__file__), "..", "..", "..", "tests", "cli", "predict", "models-0.1.0")
    result = spgm.Result.load(os.path.join(folder, "names.json"))
    assert result.predict(np.array([[1.0, 5.0], [4.0, 2.0]])).tolist() == [3.5, 9.125] and result.name_of(0) == "height"
    model = spgm.SparseClassifier.load(os.path.join(folder, "labels.json"))
    assert model.predict(np.array([[1.0, 5.0], [4.0, 2.0]])).tolist() == [-1, 1]


def test_a_name_of_two_columns_is_refused(table):
    pandas = pytest.importorskip("pandas")
    A, y, _ = table
    with pytest.raises(ValueError, match="two columns.*'a'"):
        spgm.solve(pandas.DataFrame(A, columns=list("abcda")), y, 1, free_columns=["a"])


def test_a_place_that_cannot_be_written_is_named_as_it_was_given():
    with pytest.raises(FileNotFoundError) as error:
        spgm.solve(np.eye(3), np.ones(3), 1).save("/nowhere/model.json")
    assert error.value.filename == "/nowhere/model.json"
