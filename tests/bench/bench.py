#!/usr/bin/env python3
"""Runs the benchmarks: `./dev bench [load|parse|layout|partition|trace|runtime|hooks|kernels|timeline|edit|kernel_edit|steps|paint|memory|all]`. Each prints a table and writes JSON."""

import argparse
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def commands(build_dir, json_dir):
    """Name -> command line; every one prints a table on stdout and writes its JSON file."""
    programs = build_dir / "bin"
    return {
        "load": [sys.executable, HERE / "bench_load.py", "--build-dir", build_dir, "--json", json_dir / "load.json"],
        "parse": [programs / "bench_parse", "--json", json_dir / "parse.json"],
        "layout": [programs / "bench_layout", "--json", json_dir / "layout.json"],
        "partition": [sys.executable, HERE / "bench_partition.py", "--build-dir", build_dir,
                      "--json", json_dir / "partition.json"],
        "trace": [sys.executable, HERE / "bench_trace.py", "--build-dir", build_dir, "--json", json_dir / "trace.json"],
        "runtime": [sys.executable, HERE / "bench_runtime.py", "--build-dir", build_dir,
                    "--json", json_dir / "runtime.json"],
        "hooks": [sys.executable, HERE / "bench_hooks.py", "--build-dir", build_dir, "--json", json_dir / "hooks.json"],
        "edit": [programs / "bench_edit", "--json", json_dir / "edit.json"],
        "kernel_edit": [programs / "bench_kernel_edit", "--json", json_dir / "kernel_edit.json"],
        "steps": [programs / "bench_steps", "--json", json_dir / "steps.json"],
        "kernels": [sys.executable, HERE / "bench_kernels.py", "--build-dir", build_dir,
                    "--json", json_dir / "kernels.json"],
        "timeline": [sys.executable, HERE / "bench_timeline.py", "--build-dir", build_dir,
                     "--json", json_dir / "timeline.json"],
        "paint": [programs / "bench_paint", "--json", json_dir / "paint.json"],
        "memory": [programs / "bench_memory", "--json", json_dir / "memory.json"],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build-dir", type=pathlib.Path, required=True)
    parser.add_argument("name", nargs="?", default="all")
    arguments, rest = parser.parse_known_args()
    json_dir = arguments.build_dir / "bench"
    json_dir.mkdir(parents=True, exist_ok=True)
    known = commands(arguments.build_dir.resolve(), json_dir.resolve())
    if arguments.name != "all" and arguments.name not in known:
        parser.error(f"there is no benchmark '{arguments.name}'; there are: {', '.join(known)}")
    failed = 0
    for name in known if arguments.name == "all" else [arguments.name]:
        print(f"== {name}", flush=True)
        failed |= subprocess.call([str(part) for part in known[name]] + rest)
    print(f"JSON results: {json_dir}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
