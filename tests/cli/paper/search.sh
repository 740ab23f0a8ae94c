# The settings that come closest to the published curves: the distances are those of the runs, recomputed here.
unset SPGM_SHARED
command -v python3 >/dev/null || skip "python3 is not here"
refused paper --search --methods auto --output none
if [ -n "${SPGM_INSTRUMENTED:-}" ]; then # one method, to have run it
    spgm paper --search --panels l1/random-256-1024 --methods psgd --output out 2>said || cat said
    exit
fi
plan='--search --panels l1/random-256-1024 --methods spgm-iht,spgm-bcd,psgd'
spgm paper $plan --output out 2>said || cat said
spgm gen random-256-1024 --seed 1 --output data.svm 2>gen || cat gen
python3 - "$CASES/../../cli/published.inc" <<'EOF'
import csv, math, re, sys
b = [float(line.split()[0]) for line in open("data.svm")]
level = math.fsum(map(abs, b))
runs = list(csv.DictReader(open("out/search/runs.csv")))
F = {(r["method"], int(r["s"])): float(r["objective"]) for r in runs}
assert all(r["protocol"] == "plain" and r["start"] == "1" for r in runs)
include = open(sys.argv[1]).read()
published = {}
for loss, data, method, values in re.findall(r'\{"(\w+)", "([\w-]+)", "([\w-]+)", \{([^}]*)\}', include):
    if (loss, data) == ("l1", "random-256-1024"):
        published[method] = [float(v) for v in values.split(",")]
methods = ["spgm-bcd", "spgm-iht", "psgd"]
top = max(v for m in methods for v in published[m] if not math.isnan(v))
rows = list(csv.DictReader(open("out/search.csv")))
assert len(rows) == 17 and sum(r["chosen"] == "yes" for r in rows) == 3
best = {}
for r in rows:
    key = r["method"] + "".join(":" + word for word in r["setting"].split())
    far = [abs(math.log(F[key, s] / level / (published[r["method"]][s // 10 - 1] / top))) for s in (10, 50, 90)]
    far = [v for v in far if not math.isnan(v)]
    assert int(r["cells"]) == len(far) and abs(float(r["distance"]) - sum(far) / len(far)) < 1e-6, r
    best.setdefault(r["method"], []).append((sum(far) / len(far), key, r["chosen"]))
same = {"plain": 0, "nearest": 0}
for m in methods:
    assert min(best[m])[2] == "yes"
for s in range(30, 91, 10): # where the figure shows all three
    theirs = min(methods, key=lambda m: published[m][s // 10 - 1])
    same["plain"] += min(methods, key=lambda m: F[m, s]) == theirs
    same["nearest"] += min(methods, key=lambda m: F[min(best[m])[1], s]) == theirs
said = open("said").read()
assert f"in {same['nearest']} of 7 cells with the nearest settings (plain: {same['plain']})" in said, said
page = open("out/search.html").read()
sentences = open("out/search.txt").read().splitlines()
assert len(sentences) == 2 and f"in {same['nearest']} of 7 cells (plain: {same['plain']})" in sentences[0], sentences
for m in methods:
    plain = next(d for d, key, _ in best[m] if key == m)
    assert " %.2f (%.2f)" % (math.exp(min(best[m])[0]), math.exp(plain)) in sentences[1].split(m + " ")[1].split(";")[0], m
assert page.count("<svg") == 2 and page.count('class="best"') == 3
EOF
spgm paper --panels l1/random-256-1024 --methods omp --starts 1 --sparsity 5 --quiet --output out
grep -q "The open choices, searched" out/report.html && grep -q "in the mean (plain:" out/report.html || echo "the report does not say what was found"
