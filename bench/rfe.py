"""bench/rfe.py SPGM FILE: s = 100 of the features, hinge loss. Fails unless `auto` ends below the others, in less processor time than RFE."""

import json
import os
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.feature_selection import RFE
from sklearn.svm import LinearSVC

S = 100


def spgm(program, file, *flags):
    """F and the seconds of the solver, on one thread."""
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model.json")
        command = [program, "fit", file, "--loss", "hinge", "--sparsity", str(S), "--threads", "1", "--output", model, *flags]
        began = os.times()
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        ended = os.times()
        with open(model) as written:
            return json.load(written)["objective"], ended.children_user + ended.children_system - began.children_user - began.children_system


def rfe(file):
    """The support, and the seconds it took."""
    X, y = load_svmlight_file(file)
    warnings.simplefilter("ignore")  # not all of its 200 fits converge
    began = time.process_time()
    chosen = RFE(LinearSVC(loss="hinge", C=1.0, max_iter=1000), n_features_to_select=S, step=1).fit(X, y)
    return np.flatnonzero(chosen.support_), time.process_time() - began


def main():
    program, file = sys.argv[1:]
    found, seconds = spgm(program, file)
    greedy, greedy_seconds = spgm(program, file, "--method", "omp", "--polish")
    support, rfe_seconds = rfe(file)
    outside = ",".join(str(j + 1) for j in range(300) if j not in set(support.tolist()))
    eliminated, _ = spgm(program, file, "--exclude", outside, "--method", "omp", "--polish")
    print(f"auto  F {found:10.4f}  {seconds:6.1f} s of processor time")
    print(f"OMP   F {greedy:10.4f}  {greedy_seconds:6.1f} s, with an exact fit")
    print(f"RFE   F {eliminated:10.4f}  {rfe_seconds:6.1f} s, and an exact fit of its {support.size} features")
    is_met = found < greedy and found < eliminated and seconds < rfe_seconds
    print("auto must end below both, in less time than RFE" + ("" if is_met else "  <- missed"))
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
