#!/usr/bin/env python3
"""Reading a large trace log, side by side on one file and machine: tlparse in its plain-text mode, `wc -l`, and the
program's own reader up to the complete compile tree with every payload indexed.

Prints a table, writes JSON, and leaves with 1 when a goal is missed: 50 times faster than `tlparse -p`, no slower than
3 times `wc -l`, memory beyond the mapped file under a tenth of its size, first rows before the end.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from make_big_log import DEFAULT, make_big_log

HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "aotscope"
TLPARSE = "tlparse==0.4.3"


def tlparse_program():
    """tlparse from PyPI, in a virtual environment of its own that clones share."""
    venv = CACHE / "bench-venv"
    program = venv / "bin" / "tlparse"
    if not program.exists():
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
        subprocess.run([str(venv / "bin" / "pip"), "install", "--quiet", TLPARSE], check=True)
    return program


def measure(command, cwd=None):
    """Wall seconds and peak memory in KiB of one run."""
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{command[0]} failed with {process.returncode}")
    return seconds, usage.ru_maxrss, output.decode(errors="replace")


def run_ours(program, log):
    wall, _, output = measure([str(program), str(log)])
    return {**json.loads(output), "wall_seconds": wall}


def run_wc(log):
    return {"seconds": measure(["wc", "-l", str(log)])[0]}


def run_tlparse(program, log):
    with tempfile.TemporaryDirectory() as folder:
        seconds, rss, _ = measure([str(program), "-p", "--no-browser", "--overwrite", "-o", f"{folder}/out", str(log)])
        files = sum(1 for path in pathlib.Path(folder, "out").rglob("*") if path.is_file())
    return {"seconds": seconds, "peak_rss_kib": rss, "files": files}


def default_log(corpus, megabytes):
    log = CACHE / f"bench-log-{megabytes}mb.log"
    if not log.exists() or log.stat().st_size < megabytes * 1_000_000:
        sources = [corpus / name for name in DEFAULT]
        missing = [str(path) for path in sources if not path.exists()]
        if missing:
            raise SystemExit("skipped: the logs to repeat are not there: " + ", ".join(missing))
        CACHE.mkdir(parents=True, exist_ok=True)
        make_big_log(sources, log, megabytes * 1_000_000)
    return log


def table(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) if i == 0 else cell.rjust(width)
                        for i, (cell, width) in enumerate(zip(row, widths))))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--log", type=pathlib.Path, help="measure this log instead of a made one")
    parser.add_argument("--mb", type=int, default=310, help="size of the made log in units of 10^6 bytes")
    parser.add_argument("--corpus", type=pathlib.Path, default=HERE.parents[2] / "shared" / "corpus")
    parser.add_argument("--rounds", type=int, default=3, help="the peer runs once in each")
    parser.add_argument("--repeats", type=int, default=5, help="runs of the others in each round")
    parser.add_argument("--no-tlparse", action="store_true", help="leave the peer out (no network)")
    parser.add_argument("--json", type=pathlib.Path, help="default: BUILD_DIR/bench_load.json")
    args = parser.parse_args()
    program = args.build_dir.resolve() / "bin" / "bench_load"
    if not program.exists():
        raise SystemExit(f"{program} is missing: build the target bench_load first")
    log = args.log or default_log(args.corpus, args.mb)
    size = log.stat().st_size

    has_peer = not args.no_tlparse and (shutil.which("pip") is not None or (CACHE / "bench-venv").exists())
    peer_program = tlparse_program() if has_peer else None
    runs = {"ours": [], "wc": [], "peer": []}
    # In turns: a machine that others share is faster now and slower then. The best of each is compared.
    for _ in range(args.rounds):
        runs["ours"] += [run_ours(program, log) for _ in range(args.repeats)]
        runs["wc"] += [run_wc(log) for _ in range(args.repeats)]
        if has_peer:
            runs["peer"].append(run_tlparse(peer_program, log))
    best = {name: min(of, key=lambda run: run["seconds"], default=None) for name, of in runs.items()}
    ours, wc, peer = best["ours"], best["wc"]["seconds"], best["peer"]
    all_seconds = [run["seconds"] for run in runs["ours"]]

    # What is resident beyond the pages of the mapped file.
    beyond = ours["beyond_mapping_kib"] * 1024
    goals = {
        "at most 3 x wc -l": ours["seconds"] / wc <= 3,
        "memory beyond the mapping under a tenth of the file": beyond < size / 10,
        "first rows before the end": ours["seconds_to_first_rows"] < ours["seconds"],
    }
    if peer:
        goals["at least 50 x tlparse -p"] = peer["seconds"] / ours["seconds"] >= 50
    result = {
        "file": str(log), "bytes": size, "wc_seconds": wc, "ours": ours, "ours_all_seconds": all_seconds,
        "ours_median_seconds": statistics.median(all_seconds), "tlparse": peer,
        "ratio_to_wc": ours["seconds"] / wc,
        "times_faster_than_tlparse": peer["seconds"] / ours["seconds"] if peer else None,
        "beyond_mapping_bytes": beyond, "goals": goals,
    }
    output = args.json or args.build_dir / "bench_load.json"
    output.write_text(json.dumps(result, indent=1) + "\n")

    print(f"{log}: {size / 1e6:.1f} MB, {ours['lines']} lines, {ours['records']} records, {ours['compiles']} compiles")
    rows = [["", "seconds", "MB/s", "memory MiB", "beside ours"]]
    if peer:
        rows.append(["tlparse -p", f"{peer['seconds']:.2f}", f"{size / 1e6 / peer['seconds']:.0f}",
                     f"{peer['peak_rss_kib'] / 1024:.0f}", f"{peer['seconds'] / ours['seconds']:.0f} x"])
    rows.append(["wc -l", f"{wc:.3f}", f"{size / 1e6 / wc:.0f}", "", f"{wc / ours['seconds']:.2f} x"])
    rows.append(["aotscope", f"{ours['seconds']:.3f}", f"{size / 1e6 / ours['seconds']:.0f}",
                 f"{beyond / 2**20:.1f}", "1 x"])
    rows.append(["  to first rows", f"{ours['seconds_to_first_rows']:.4f}", "", "", ""])
    table(rows)
    for goal, met in goals.items():
        print(f"{'met   ' if met else 'MISSED'}  {goal}")
    print(f"written to {output}")
    return 0 if all(goals.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
