#!/bin/bash
# spgm-mpi against spgm:  tests/mpi/run.sh BUILD [NAME]      (make mpi-test; NAME: only checks whose name begins so)
# Skipped, visibly, where there is no mpirun.
set -euo pipefail
build=$(cd "${1:?the build directory, for example build/mpi}" && pwd)
command -v mpirun >/dev/null || { echo "SKIPPED: there is no mpirun (make mpi installs it)"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=self,vader
spgm=$build/spgm mpi=$build/spgm-mpi only=${2:-}
failed=0

check() { # NAME COMMAND...: one line
    local name=$1
    [[ $name == "$only"* ]] || return 0
    shift
    if "$@" >"$work/log" 2>&1; then
        echo "ok      $name"
    else
        echo "FAILED  $name"
        sed 's/^/        /' "$work/log"
        failed=1
    fi
}

# same A.json B.json: the same support, F to 1e-9, the same number of rows
same() {
    python3 - "$1" "$2" <<'PYTHON'
import json, sys
a, b = (json.load(open(name)) for name in sys.argv[1:])
assert a["support"] == b["support"], (a["support"], b["support"])
assert abs(a["objective"] - b["objective"]) <= 1e-9 * abs(a["objective"]), (a["objective"], b["objective"])
assert a["rows"] == b["rows"], (a["rows"], b["rows"])
PYTHON
}

fit_and_compare() { # RANKS FILES...
    local ranks=$1
    shift
    timeout 120 mpirun -n "$ranks" "$mpi" fit "$@" $flags --output got.json && same one.json got.json
}

"$spgm" gen random-256-1024-O --seed 1 --output data.svm
head -n 64 data.svm >part-1.svm
sed -n 65,100p data.svm >part-2.svm
sed -n 101,256p data.svm >part-3.svm
for flags in "--loss l1 -s 8 --effort 1" "--loss quantile --quantile 0.8 -s 8 --method omp --polish" \
    "--loss huber -s 8 --method spgm-bcd --ridge 0.1"; do
    timeout 120 mpirun -n 1 "$mpi" fit data.svm $flags --output one.json
    for ranks in 2 3 4; do
        check "fit $flags, one file cut for $ranks" fit_and_compare $ranks data.svm
    done
    check "fit $flags, three files on 3" fit_and_compare 3 part-1.svm part-2.svm part-3.svm
    check "fit $flags, three files on 4" fit_and_compare 4 part-1.svm part-2.svm part-3.svm
done
flags="--loss l1 -s 8 --effort 1"
"$spgm" fit data.svm $flags --output alone.json --quiet
timeout 120 mpirun -n 3 "$mpi" fit data.svm $flags --output one.json
check "auto finds what spgm finds" same alone.json one.json

path_is_the_same() {
    timeout 120 mpirun -n 1 "$mpi" path data.svm --loss l1 -s 1:4 --effort 1 --output one.csv &&
        timeout 120 mpirun -n 3 "$mpi" path data.svm --loss l1 -s 1:4 --effort 1 --output three.csv &&
        python3 - <<'PYTHON'
import csv
a, b = (list(csv.DictReader(open(name))) for name in ("one.csv", "three.csv"))
assert len(a) == len(b) > 0
for p, q in zip(a, b):
    assert abs(float(p["objective"]) - float(q["objective"])) <= 1e-9 * abs(float(p["objective"])), (p, q)
values = [float(row["objective"]) for row in a]
assert values == sorted(values, reverse=True), values
PYTHON
}
check "path" path_is_the_same

cv_is_the_same() {
    timeout 200 mpirun -n 1 "$mpi" cv data.svm --loss l1 -s 1:3 --folds 3 --effort 1 --output one.json --losses one.csv &&
        timeout 200 mpirun -n 2 "$mpi" cv data.svm --loss l1 -s 1:3 --folds 3 --effort 1 --output two.json --losses two.csv &&
        same one.json two.json && cut -c1-12 one.csv | diff - <(cut -c1-12 two.csv)
}
check "cv" cv_is_the_same

says() { # STATUS WORD COMMAND...: ends with that status, and one line of ours with the word, within a minute
    local status=$1 word=$2 got=0
    shift 2
    timeout 60 "$@" >out 2>err || got=$?
    [ "$got" = "$status" ] || { echo "status $got, not $status"; cat err; return 1; }
    [ "$(grep -c '^spgm-mpi:' err)" = 1 ] || { echo "not one sentence:"; cat err; return 1; }
    grep -q "^spgm-mpi:.*$word" err || { cat err; return 1; }
}
printf '1 3:x\n' >bad.svm
check "a bad part" says 2 "process 1: bad.svm" mpirun -n 3 "$mpi" fit part-1.svm bad.svm part-3.svm -s 2
check "no such part" says 2 "process 2: .*missing.svm" mpirun -n 3 "$mpi" fit part-1.svm part-2.svm missing.svm -s 2
check "more files than processes" says 2 "3 files and 2 processes" mpirun -n 2 "$mpi" fit part-*.svm -s 2
check "no sparsity" says 2 "sparsity is missing" mpirun -n 2 "$mpi" fit data.svm
check "a wrong option" says 2 "no option" mpirun -n 2 "$mpi" fit data.svm -s 2 --nonsense 3

# A run that goes on for long, until process 0 listens to SIGTERM (bit 14 of the signals that it catches).
start_long() {
    mpirun -n 3 "$mpi" fit data.svm --loss l1 -s 60 --time-limit 100000 --method auto --output long.json 2>err &
    job=$!
    for _ in $(seq 600); do
        first=$(pgrep -P "$job" | head -n 1 || true)
        caught=$(sed -n 's/^SigCgt:[^0-9a-f]*//p' "/proc/${first:-none}/status" 2>/dev/null || true)
        [ "$(pgrep -P "$job" -c || true)" = 3 ] && (((16#${caught:-0} >> 14) & 1)) && break
        python3 -c 'import time; time.sleep(0.1)'
    done
}
ends_within() { # SECONDS: the job
    for _ in $(seq $((10 * $1))); do
        kill -0 "$job" 2>/dev/null || { wait "$job" && return 0 || return $?; }
        python3 -c 'import time; time.sleep(0.1)'
    done
    kill -9 "$job"
    echo "the job still runs"
    return 99
}
killed_process() {
    local status=0
    start_long
    kill -9 "$(pgrep -P "$job" | tail -n 1)"
    ends_within 30 || status=$?
    [ "$status" != 0 ] && [ "$status" != 99 ] && [ ! -e long.json ] && grep -q "signal 9" err
}
check "a process that is killed ends the job" killed_process
interrupted_job() {
    start_long
    kill -TERM "$(pgrep -P "$job" | head -n 1)" # what mpirun sends to all after Ctrl-C; process 0 listens
    ends_within 30 && python3 -c '
import json
model = json.load(open("long.json"))
assert model["outcome"] == "interrupted" and len(model["support"]) > 0, model["outcome"]'
}
check "Ctrl-C: the best model is written" interrupted_job
timed_job() {
    timeout 60 mpirun -n 3 "$mpi" fit data.svm --loss l1 -s 60 --time-limit 1 --output timed.json && python3 -c '
import json
model = json.load(open("timed.json"))
assert model["outcome"] == "time_limit" and len(model["support"]) == 60, (model["outcome"], len(model["support"]))'
}
check "a time limit" timed_job
# The processes' clocks differ, and what they ask for must not.
timed_cv() {
    timeout 60 mpirun -n 3 "$mpi" cv data.svm --loss l1 -s 1:4 --folds 3 --ridge 4,2,1 --time-limit 0.5 --output timed.json &&
        timeout 60 mpirun -n 2 "$mpi" path data.svm --loss l1 -s 1:4 --time-limit 0.2 --output timed.csv
}
check "cv and path, a time limit" timed_cv
exit $failed
