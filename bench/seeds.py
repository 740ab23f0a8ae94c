"""Whether seeds agree on real data: five default fits of each, how far the worst F is above the best, and their time.

    python bench/seeds.py DATA SPGM [OTHER_SPGM ...] [--seeds 5] [--threads 1]

DATA is the folder of data sets. Required: within 0.5 % of F. Times are processor time, in the mean over the seeds; several
programs, an older one perhaps, take turns.
"""
import argparse
import json
import pathlib
import resource
import subprocess
import tempfile
import time

CASES = (("trim32/trim32.svm.xz", 20), ("riboflavin/riboflavin.svm.xz", 20), ("communities/communities.svm.xz", 15),
         ("communities/communities.svm.xz", 30), ("e2006/e2006_5000x10000.svm.xz", 50))
MOST = 0.5  # percent


def fit(spgm, data, s, seed, threads, *options):
    """F, processor time and time by the clock."""
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "model.json"
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run([spgm, "fit", str(data), "--sparsity", str(s), "--seed", str(seed), "--threads", str(threads), "--output", str(model), *options],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        after, seconds = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - began
        return json.loads(model.read_text())["objective"], after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, seconds


def main():
    p = argparse.ArgumentParser()
    p.add_argument("data", type=pathlib.Path)
    p.add_argument("programs", nargs="+")
    p.add_argument("--seeds", type=int, default=5)
    p.add_argument("--threads", type=int, default=1)
    args = p.parse_args()
    held = True
    for name, s in CASES:
        fits = {program: [] for program in args.programs}
        for seed in range(1, args.seeds + 1):
            for program in args.programs:
                fits[program].append(fit(program, args.data / name, s, seed, args.threads))
        for program, ends in fits.items():
            F = [end[0] for end in ends]
            spread = 100 * (max(F) / min(F) - 1)
            held &= spread <= MOST or program != args.programs[0]
            print(f"seeds      {pathlib.Path(name).parts[0]} s = {s}, {program}: F {min(F):.6g} to {max(F):.6g}, {spread:.2f} % apart (must be <= {MOST} %), "
                  f"{sum(end[1] for end in ends) / len(ends):.1f} s of processor time", flush=True)
    raise SystemExit(not held)


if __name__ == "__main__":
    main()
