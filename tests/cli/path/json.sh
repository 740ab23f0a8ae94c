# The coefficients of every model give its F, by the book, for every loss; names are those of the file.
command -v python3 >/dev/null || skip "python3 is not here"
python3 - <<'EOF'
import random
random.seed(5)
with open("data.csv", "w") as file:
    print("alpha,beta,gamma,\"a \"\"b\"\"\",eps,y", file=file)
    for i in range(30):
        row = [random.gauss(0, 1) for _ in range(5)]
        print(*(repr(v) for v in row + [1 if 2 * row[0] - row[2] + random.gauss(0, 1) > 0 else -1]), sep=",", file=file)
EOF
for loss in l1 quantile hinge epsilon linf l2 squared; do
    if [ $loss = quantile ]; then level="--quantile 0.3"; else level=; fi
    works path data.csv -s 0:5 --loss $loss $level --ridge 0.1 --output $loss.json
done
python3 - <<'EOF'
import csv, json, math
rows = list(csv.reader(open("data.csv")))
names, data = rows[0][:-1], [[float(v) for v in row] for row in rows[1:]]
losses = {
    "l1": lambda r, y: sum(map(abs, r)), "quantile": lambda r, y: sum(0.7 * v if v > 0 else -0.3 * v for v in r),
    "hinge": lambda r, y: sum(max(0, 1 - t * (v + t)) for v, t in zip(r, y)),
    "epsilon": lambda r, y: sum(max(0, abs(v) - 0.1) for v in r), "linf": lambda r, y: max(map(abs, r)),
    "l2": lambda r, y: math.sqrt(sum(v * v for v in r)), "squared": lambda r, y: sum(v * v for v in r) / 2}
for loss, h in losses.items():
    text = json.load(open(loss + ".json"))
    assert text["rows"] == 30 and text["columns"] == 5 and text["options"]["loss"] == loss
    last = math.inf
    for s, model in enumerate(text["path"]):
        x = dict(zip(model["support"], model["coefficients"]))
        y = [row[-1] for row in data]
        r = [model["intercept"] + sum(v * row[j] for j, v in x.items()) - row[-1] for row in data]
        F = h(r, y) + 0.05 * sum(v * v for v in x.values())
        assert model["sparsity"] == s >= len(x) and model["names"] == [names[j] for j in model["support"]]
        assert abs(F - model["objective"]) <= 1e-9 * (1 + abs(F)), (loss, s, F, model["objective"])
        assert model["objective"] <= last and model["outcome"] == "optimal"
        last = model["objective"]
EOF
# Options have their types.
python3 - <<'END'
import json
options = json.load(open("l1.json"))["options"]
assert options["intercept"] is True and options["seed"] == 1 and options["ridge"] == 0.1 and options["method"] == "auto"
assert options["time_limit"] == "inf"
END
