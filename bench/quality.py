"""auto within 0.1, 1 and 10 seconds against the best known solutions, and against OMP with an exact refit.

    python bench/quality.py QUALITY.PY SPGM [SECONDS ...]

QUALITY.PY runs SPGM on its instances and recomputes each objective from the coefficients. SECONDS are the limits to try,
by default 0.1, 1 and 10. Required: 0.1 (0.5 on e2006) nowhere above OMP; 1: mean gap to the best known F at most 1.5 % on
one thread and 1 % on two, worst at most 6 and 4 %; 10, one thread: mean at most 0.3 %, worst 1.5 %. A negative gap is a new record.
"""
import pathlib
import subprocess
import sys
import tempfile

MEAN = {(1.0, 1): 1.5, (1.0, 2): 1.0, (10.0, 1): 0.3}  # percent, by seconds and threads
WORST = {(1.0, 1): 6.0, (1.0, 2): 4.0, (10.0, 1): 1.5}
SHORT, SHORT_LARGE = 0.1, 0.5  # seconds; on e2006 the product with A alone takes milliseconds


def with_threads(spgm, threads, folder):
    """QUALITY.PY takes a program and no options of it: a program that has the option."""
    program = pathlib.Path(folder) / f"spgm-{threads}"
    program.write_text(f'#!/bin/sh\nexec "{pathlib.Path(spgm).resolve()}" "$@" --threads {threads}\n')
    program.chmod(0o755)
    return str(program)


def objectives(script, spgm, seconds, *arguments):
    """{(instance, loss, s): (F, gap in percent)} of all instances, or of those that the arguments choose."""
    command = [sys.executable, script, spgm, "--time", str(seconds), *arguments]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in text.splitlines()]
    return {tuple(r[:3]): (float(r[3]), float(r[5])) for r in rows if len(r) == 8 and r[1] in ("l1", "linf")}


def against_omp(script, spgm):
    omp = objectives(script, spgm, 100, "--method", "omp")
    names = sorted({key[0] for key in omp})
    large = [name for name in names if name.startswith("e2006")]
    auto = objectives(script, spgm, SHORT, "--only", *(name for name in names if name not in large))
    if large:
        auto |= objectives(script, spgm, SHORT_LARGE, "--only", *large)
    above = [key for key in omp if auto[key][0] > omp[key][0] * (1 + 1e-9)]
    ratio = sum(auto[key][0] / omp[key][0] for key in omp) / len(omp)
    print(f"quality    {SHORT} s ({SHORT_LARGE} s on e2006): above OMP with exact refit in {len(above)} of {len(omp)} cells "
          f"(must be 0), mean F / F(omp) {ratio:.3f}")
    for key in above:
        print("           above:", *key, f"{auto[key][0]:.6g} against {omp[key][0]:.6g}")
    return not above


def against_best_known(script, spgm, seconds, threads):
    found = objectives(script, spgm, seconds)
    gaps = [gap for _, gap in found.values()]
    mean, worst, where = sum(gaps) / len(gaps), max(gaps), " ".join(max(found, key=lambda key: found[key][1]))
    most, most_worst = MEAN.get((seconds, threads)), WORST.get((seconds, threads))
    print(f"quality    {seconds:g} s, {threads} thread{'s' * (threads > 1)}: gap to the best known F in {len(gaps)} cells: mean {mean:.2f} %"
          + (f" (must be <= {most} %)" if most is not None else "") + f", worst {worst:.2f} %"
          + (f" (must be <= {most_worst} %)" if most_worst is not None else "") + f" at {where}"
          + f", {sum(gap < -0.005 for gap in gaps)} clear records")
    return (most is None or mean <= most) and (most_worst is None or worst <= most_worst)


def main():
    script, spgm = sys.argv[1:3]
    held = True
    with tempfile.TemporaryDirectory() as folder:
        one, two = (with_threads(spgm, threads, folder) for threads in (1, 2))
        for seconds in map(float, sys.argv[3:] or (SHORT, 1, 10)):
            if seconds == SHORT:
                held &= against_omp(script, one)
                continue
            held &= against_best_known(script, one, seconds, 1)
            if (seconds, 2) in MEAN:
                held &= against_best_known(script, two, seconds, 2)
    sys.exit(not held)


if __name__ == "__main__":
    main()
