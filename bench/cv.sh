#!/bin/sh
# The choice of s and the ridge against scikit-learn and abess:  bench/cv.sh BUILD
# In the environment of the Python tests, with abess besides. Where that cannot be made, says so and ends well.
set -eu
cd "$(dirname "$0")/.."
if ! { (. tools/python-env.sh) && build/python/bin/pip install --quiet --disable-pip-version-check abess; } >build/cv-bench.log 2>&1; then
    echo "skipped: there is no Python environment with abess (see build/cv-bench.log)"
    exit 0
fi
exec build/python/bin/python bench/compare_cv.py
