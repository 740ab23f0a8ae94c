# JSON holds the same runs as CSV.
command -v python3 >/dev/null || skip "python3 is not here"
works gen random-60-100 --seed 3 --support 5 --noise 1 --output data.svm
works compare data.svm -s 2,4 --starts 2 --methods spgm-bcd,omp --threads 1 --output runs.csv
works compare data.svm -s 2,4 --starts 2 --methods spgm-bcd,omp --threads 1 --output runs.json
python3 - <<'EOF'
import csv, json
table = {(int(r["s"]), r["method"], int(r["start"])): r for r in csv.DictReader(open("runs.csv"))}
text = json.load(open("runs.json"))
seen = 0
for cell in text["results"]:
    values = [run["objective"] for run in cell["runs"]]
    assert abs(cell["objective"]["mean"] - sum(values) / len(values)) <= 1e-12 * abs(values[0])
    assert cell["objective"]["best"] == min(values) and cell["objective"]["worst"] == max(values)
    for run in cell["runs"]:
        row = table[cell["s"], cell["method"], run["start"]]
        seen += 1
        assert run["objective"] == float(row["objective"]) and run["polished"] == float(row["polished"])
        assert len(run["support"]) == int(row["nonzeros"]) and run["overlap"] == float(row["overlap"])
assert seen == len(table) == 8
assert text["options"]["loss"] == "l1" and text["rows"] == 60
EOF
