#!/usr/bin/env python3
"""Opening a profiler's trace: the program's reader beside Python's json.load, with which the tools in Python begin, on
one file in turns; and the reader alone on a file of 2 GB.

Prints a table, writes JSON, and leaves with 1 when a goal is missed: faster than json.load, and for the file of 2 GB
less memory of its own than a quarter of the file.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "aotscope"
# The time of the load alone, without that of starting Python.
PEER = """
import json, sys, time
begin = time.perf_counter()
with open(sys.argv[1]) as file:
    events = json.load(file)["traceEvents"]
print(json.dumps({"seconds": time.perf_counter() - begin, "events": len(events)}))
"""


def made_trace(megabytes):
    trace = CACHE / f"bench-profile-{megabytes}mb.json"
    if not trace.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        partial = trace.with_suffix(".partial")
        subprocess.run([sys.executable, HERE / "make_big_profile.py", partial, str(megabytes)], check=True)
        partial.rename(trace)
    return trace


def run(command):
    """What a process prints as JSON, with the most memory it had, in MB."""
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{command[0]} failed with {process.returncode}")
    return {**json.loads(output), "resident_mb": usage.ru_maxrss * 1024 / 1e6}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--trace", type=pathlib.Path, help="measure this trace beside json.load instead of a made one")
    parser.add_argument("--mb", type=int, default=200, help="size of the made trace that both read, in 10^6 bytes")
    parser.add_argument("--big-mb", type=int, default=2000, help="size of the one that only aotscope reads; 0: none")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=pathlib.Path, help="default: BUILD_DIR/bench_timeline.json")
    args = parser.parse_args()
    program = args.build_dir.resolve() / "bin" / "bench_timeline"
    if not program.exists():
        raise SystemExit(f"{program} is missing: build the target bench_timeline first")

    trace = args.trace or made_trace(args.mb)
    ours, peer = [], []
    # In turns: a machine that others share is faster now and slower then. The best of each is compared.
    for _ in range(args.rounds):
        ours.append(run([program, trace]))
        peer.append(run([sys.executable, "-c", PEER, trace]))
    ours, peer = (min(of, key=lambda one: one["seconds"]) for of in (ours, peer))
    rows = [("json.load", trace, peer), ("aotscope", trace, ours)]
    goals = {"faster than json.load": ours["seconds"] < peer["seconds"]}
    if args.big_mb:
        big = run([program, made_trace(args.big_mb)])
        rows.append(("aotscope", made_trace(args.big_mb), big))
        goals["own memory under a quarter of the large file"] = big["own_mb"] < big["megabytes"] / 4

    print(f"{'':10}  {'file MB':>8}  {'seconds':>8}  {'MB/s':>6}  {'own MB':>7}  {'resident MB':>11}")
    for name, file, row in rows:
        megabytes = file.stat().st_size / 1e6
        own = row.get("own_mb", row["resident_mb"])
        print(f"{name:10}  {megabytes:8.0f}  {row['seconds']:8.2f}  {megabytes / row['seconds']:6.0f}  {own:7.0f}  "
              f"{row['resident_mb']:11.0f}")
    print(f"{peer['seconds'] / ours['seconds']:.1f} times as fast as json.load")
    for goal, met in goals.items():
        print(f"{'met   ' if met else 'MISSED'}  {goal}")
    output = args.json or args.build_dir / "bench_timeline.json"
    output.write_text(json.dumps({"benchmark": "timeline", "peer": peer, "ours": ours, "goals": goals,
                                  "large": rows[-1][2] if args.big_mb else None}, indent=1) + "\n")
    print(f"written to {output}")
    return 0 if all(goals.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
