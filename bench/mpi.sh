#!/bin/bash
# What rows over MPI cost and gain:  bench/mpi.sh BUILD [ROWS] [COLUMNS]      (BUILD made by `make mpi`; 1,000,000 x 200)
#
# Two ranks beside one on a dense file that is cut by the program, by the clock and by the longest chain of processor time,
# which other jobs matter little to; fails where two are less than 1.6 times as fast. Then messages and bytes of each method
# for every iteration, which do not depend on the rows.
set -euo pipefail
build=$(cd "${1:?the build directory, for example build/mpi}" && pwd)
rows=${2:-1000000} columns=${3:-200}
[ -x "$build/spgm-mpi" ] || build=$build/../mpi # make bench gives the directory of the release
if [ ! -x "$build/spgm-mpi" ]; then
    echo "skipped: there is no spgm-mpi, which \`make mpi\` builds"
    exit 0
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/spgm-mpi.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl=self,vader OMPI_MCA_mpi_yield_when_idle=1 SPGM_MPI_COUNT=1
mpi=$build/spgm-mpi
TIMEFORMAT='%R s wall clock'

# A dense NPY file in Fortran order, column by column, and its target: 20 of the columns and heavy-tailed noise.
python3 - "$rows" "$columns" <<'PYTHON'
import random, struct, sys
from array import array
rows, columns = map(int, sys.argv[1:])
def header(shape):
    text = "{'descr': '<f8', 'fortran_order': True, 'shape': %s, }" % (shape,)
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()
random.seed(1)
pool = array("d", (random.gauss(0, 1) for _ in range(262147)))  # a prime: columns are shifts of each other, far apart
target = array("d", (random.gauss(0, 1) / max(abs(random.gauss(0, 1)), 0.05) for _ in range(min(rows, 262147))))
target = (target * (rows // len(target) + 1))[:rows]
with open("A.npy", "wb") as file:
    file.write(header((rows, columns)))
    for j in range(columns):
        shift = j * 1299709 % len(pool)
        column = ((pool[shift:] + pool[:shift]) * (rows // len(pool) + 1))[:rows]
        for i in range(0, rows, 1 + j % 5):  # not the same shift everywhere
            column[i] = -column[i]
        if j % 10 == 3:
            for i in range(rows):
                target[i] += column[i]
        file.write(column.tobytes())
with open("b.npy", "wb") as file:
    file.write(header((rows,)))
    file.write(target.tobytes())
PYTHON

echo "$rows x $columns, dense; the chain is the work that cannot be done side by side: wall clock on processors of one's own"
missed=0
for flags in "--method spgm-iht --max-iterations 100 --tolerance 0" "--method psgd --max-iterations 100 --tolerance 0" \
    "--method omp --polish" "--method auto"; do
    for ranks in 1 2; do
        printf '%s, %d rank(s): ' "--loss l1 -s 10 $flags" $ranks
        time SPGM_MPI_COUNT=time mpirun -n $ranks --bind-to none "$mpi" fit A.npy --target b.npy --loss l1 -s 10 $flags \
            --threads 1 --seed 1 --output model-$ranks.json 2>said-$ranks || { cat said-$ranks; exit 1; }
        sed -n 's/^\(.* longest chain\)$/    \1/p' said-$ranks
        sed -n 's/^  "\(objective\|seconds\|outcome\)": \(.*\),*$/    \1 \2/p' model-$ranks.json
    done
    ratio=$(sed -n 's/ s of processor time.*//p' said-1 said-2 | awk 'NR == 1 { one = $1 } NR == 2 { printf "%.2f", one / $1 }')
    awk -v ratio="$ratio" 'BEGIN { exit ratio >= 1.6 }' && missed=1
    echo "    two ranks: $ratio times as fast (at least 1.6)"
done
rm A.npy

echo "messages and bytes for every iteration: 256 x 1024, s = 10, l1, ridge 0.1, two ranks"
"$build/spgm" gen random-256-1024-O --seed 1 --output small.svm
count() { # METHOD ITERATIONS: messages bytes
    mpirun -n 2 "$mpi" fit small.svm --loss l1 -s 10 --ridge 0.1 --method "$1" --tuning plain --tolerance 0 \
        --max-iterations "$2" --output m.json 2>&1 </dev/null | sed -n 's/^\([0-9]*\) messages, \([0-9]*\) bytes$/\1 \2/p'
}
while read -r first last methods; do # the relaxations end with exact fits, whose messages vary by hundreds
    for method in $methods; do
        echo "$method $((last - first)) $(count "$method" "$first") $(count "$method" "$last")"
    done
done <<'TABLE' | awk '{printf "%-10s %6.1f messages  %8.0f bytes\n", $1, ($5 - $3) / $2, ($6 - $4) / $2}'
20 60 spgm-iht spgm-bcd psgd admm-iht diht pdm
200 1000 cvx-l1 ncvx-lp
TABLE
exit $missed
