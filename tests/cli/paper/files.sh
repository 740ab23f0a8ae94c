# Means, scores and page are those of the runs, recomputed here.
unset SPGM_SHARED
command -v python3 >/dev/null || skip "python3 is not here"
printf 'loss,dataset,method,s,objective\nl1,random-256-1024,SPGM-BCD,10,100\nl1,random-256-1024,SPGM-IHT,10,200\n' >published.csv
spgm paper --panels l1/random-256-1024 --sparsity 5,10 --methods spgm-iht,spgm-bcd,omp --starts 2 --protocol tuned --published published.csv \
    --verbose --output out 2>said || cat said
python3 - <<'EOF'
import csv, math, re
runs = list(csv.DictReader(open("out/runs.csv")))
assert len(runs) == 2 * 3 * 2
summary = list(csv.DictReader(open("out/summary.csv")))
assert len(summary) == 2 * 3
for row in summary:
    mine = [r for r in runs if r["s"] == row["s"] and r["method"] == row["method"]]
    for column, name in (("raw", "objective"), ("polished", "polished")):
        mean = sum(float(r[name]) for r in mine) / len(mine)
        assert abs(float(row[column]) - mean) <= 1e-12 * mean, row
    assert all(float(r["polished"]) <= float(r["objective"]) for r in mine)
    assert row["published"] == ({"spgm-bcd": "100", "spgm-iht": "200"}.get(row["method"], "") if row["s"] == "10" else "")
mean = lambda m: sum(float(r["objective"]) for r in runs if r["s"] == "10" and r["method"] == m) / 2
ratio = mean("spgm-bcd") / mean("spgm-iht")
said = open("said").read()
assert "mean: %.3f (published, same panels: 1 of 1 and 0.500)" % ratio in said, said
of = lambda m, c: [float(r[c]) for r in runs if r["s"] == "10" and r["method"] == m]
time = lambda m: sum(of(m, "processor_seconds"))
quick, lower = time("spgm-iht") <= 2 * time("spgm-bcd"), mean("spgm-bcd") <= mean("spgm-iht")
assert "it is lowest in %d of %d cells" % (quick and lower, quick) in said, said
assert "the best of its 2 starts is at or below the mean of every other method in %d of 1" % (
    min(of("spgm-bcd", "objective")) <= mean("spgm-iht")) in said, said
factor = time("spgm-iht") / time("spgm-bcd")
assert "take %.1f to %.1f times the processor time" % (factor, factor) in said, said
assert "agree in %d of 1 panels" % (ratio < 1) in said, said
page = open("out/report.html").read()
assert page.count("<svg") == 3 and "%.3f" % ratio in page and "1 of 1" in page
assert not re.search(r"src=|@import|url\(|<link|<script", page)
times = list(csv.DictReader(open("out/times.csv")))
assert {row["method"] for row in times} == {"spgm-iht", "spgm-bcd", "omp"}
for row in times:
    mine = [float(r["processor_seconds"]) for r in runs if r["method"] == row["method"]]
    assert abs(float(row["processor_seconds"]) - sum(mine) / len(mine)) <= 1e-9 and row["runs"] == "2"
EOF
