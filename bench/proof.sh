#!/bin/sh
# Proven optima beside HiGHS on the model that people build by hand:  bench/proof.sh BUILD
# Real data where SPGM_SHARED has them. HiGHS takes most of the time: a quarter of an hour, at most 60 s an instance.
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
data=""
if [ -d "${SPGM_SHARED:-}/data/diabetes" ]; then
    data="--data $SPGM_SHARED/data"
fi
# shellcheck disable=SC2086
exec tools/bench-python.sh "$build" numpy highspy -- bench/proof.py "$build/spgm" $data
