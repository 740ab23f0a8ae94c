# Both protocols in one plan: the numbers of the report are those of the runs, recomputed here.
unset SPGM_SHARED
command -v python3 >/dev/null || skip "python3 is not here"
[ -z "${SPGM_INSTRUMENTED:-}" ] || skip "numbers, which are the same under a sanitizer"
plan='--panels l1/random-256-1024 --sparsity 10,30 --methods spgm-bcd,spgm-iht,diht,cvx-l1 --starts 1'
spgm paper $plan --verbose --output out 2>said || cat said
spgm paper $plan --protocol plain --quiet --output plain
python3 - <<'EOF'
import csv
runs = list(csv.DictReader(open("out/runs.csv")))
assert len(runs) == 2 * 2 * 4 and {r["protocol"] for r in runs} == {"plain", "tuned"}
plain = list(csv.DictReader(open("plain/runs.csv")))
same = lambda r: (r["s"], r["method"], r["objective"])
assert sorted(map(same, plain)) == sorted(same(r) for r in runs if r["protocol"] == "plain")
F = {(r["protocol"], r["method"], r["s"]): float(r["objective"]) for r in runs}
assert all(int(r["iterations"]) <= 1000 for r in plain)
passes = {(r["protocol"], r["method"], r["s"]): float(r["passes"]) for r in runs}
for r in runs: # twice the passes of the plain run, and a fit beyond it at most
    allowed, used = float(r["allowed"]), float(r["passes"])
    assert allowed == (2 * passes["plain", r["method"], r["s"]] if r["protocol"] == "tuned" else 0), r
    assert r["protocol"] == "plain" or used < 1.2 * allowed + 10, r
    assert (r["outcome"] == "pass_limit") == (r["protocol"] == "tuned" and used >= allowed - 60 and r["outcome"] != "converged"), r
assert F["tuned", "spgm-bcd", "30"] < F["plain", "spgm-bcd", "30"]
published = {}
for r in csv.DictReader(open("out/summary.csv")):
    published[r["method"], r["s"]] = float(r["published"])
    assert float(r["plain"]) == F["plain", r["method"], r["s"]] and float(r["raw"]) == F["tuned", r["method"], r["s"]]
methods = ["spgm-bcd", "spgm-iht", "diht", "cvx-l1"]
ranks = lambda values: [1 + sum(v < own for v in values) for own in values]
correlation = agree = 0
for s in ("10", "30"):
    ours, theirs = [F["plain", m, s] for m in methods], [published[m, s] for m in methods]
    assert len(set(ours)) == len(set(theirs)) == 4
    agree += ours.index(min(ours)) == theirs.index(min(theirs))
    d = sum((a - b) ** 2 for a, b in zip(ranks(ours), ranks(theirs)))
    correlation += (1 - 6 * d / (4 * 15)) / 2
said = open("said").read()
wanted = "the published one in %d of 2 cells; rank correlation of the methods with the published order, mean: %.2f"
assert wanted % (agree, correlation) in said, (said, agree, correlation)
page = open("out/report.html").read()
assert page.count("<svg") == 4 and "one textbook setting" in page
for m in methods:
    mine = [r for r in runs if r["method"] == m and r["protocol"] == "tuned"]
    total = lambda name: sum(float(r[name]) for r in mine) / len(mine)
    assert "<td>%.0f of %.0f</td>" % (total("passes"), total("allowed")) in page, m
assert "not searched yet: spgm paper --search" in page
EOF
