#!/usr/bin/env python3
"""Runs clang-tidy over sources of a build folder, and remembers what passed.

usage: clang_tidy.py BUILD_FOLDER SOURCE...

A source is checked again when it, a header of ours that it includes, its compile command or the configuration
changed; so that `./dev lint` after a small change takes a minute, where the whole takes most of an hour on two cores.
Exits with 1 when a check failed and names each such source at the end.
"""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent


def scan_dependencies(build, commands):
    """The files of ours that each source includes, itself among them; None for a source that cannot be read."""
    database = build / "to_check.json"
    database.write_text(json.dumps(commands))
    scanner = next((name for name in ("clang-scan-deps", "clang-scan-deps-14") if _found(name)), None)
    if scanner is None:
        sys.exit("clang-scan-deps is missing: it comes with Debian's package clang-tidy (clang-tools).")
    output = subprocess.run(
        [scanner, "-compilation-database", str(database), "-format=make", "-j", str(os.cpu_count())],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    ours = {}
    for rule in output.replace("\\\n", " ").splitlines():
        _, _, files = rule.partition(": ")
        files = [os.path.realpath(file) for file in files.split()]
        if files:
            ours[files[0]] = sorted({file for file in files if file.startswith(f"{ROOT}/")})
    return ours


def _found(name):
    return any(os.access(os.path.join(folder, name), os.X_OK) for folder in os.environ["PATH"].split(":"))


def key_of(command, files, version):
    """What a check's outcome depends on: system headers are told apart by the version of the checker alone."""
    digest = hashlib.sha256(version)
    for folder in pathlib.Path(command["file"]).resolve().parents:
        configuration = folder / ".clang-tidy"
        if configuration.is_relative_to(ROOT) and configuration.exists():
            digest.update(configuration.read_bytes())
    digest.update(command.get("command", "").encode())
    for file in files:
        digest.update(file.encode())
        digest.update(pathlib.Path(file).read_bytes())
    return digest.hexdigest()


def check(source, build):
    result = subprocess.run(
        ["clang-tidy", "--quiet", "--extra-arg=-Wno-unknown-warning-option", "-p", str(build), source],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    counts_only = re.compile(r"^\d+ warnings? (generated|treated as errors?)\.?$")
    told = "\n".join(line for line in result.stderr.splitlines() if not counts_only.match(line))
    return result.returncode, (result.stdout + told).strip()


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    wanted = {os.path.realpath(source) for source in sys.argv[2:]}
    commands = [
        command for command in json.loads((build / "compile_commands.json").read_text())
        if os.path.realpath(command["file"]) in wanted
    ]
    version = subprocess.run(["clang-tidy", "--version"], stdout=subprocess.PIPE, check=True).stdout
    included = scan_dependencies(build, commands)
    passed_folder = build / "passed"
    passed_folder.mkdir(exist_ok=True)
    keys = {}
    for command in commands:
        source = os.path.realpath(command["file"])
        keys[source] = key_of(command, included[source], version) if source in included else None
    unknown = sorted(wanted - keys.keys())
    if unknown:
        sys.exit("Not compiled by any target, so not checked: " + ", ".join(unknown))
    open_sources = [source for source, key in keys.items() if key is None or not (passed_folder / key).exists()]
    print(f"{len(keys) - len(open_sources)} of {len(keys)} sources passed before and are unchanged", flush=True)
    failed = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = pool.map(lambda source: (source, *check(source, build)), open_sources)
        for count, (source, status, told) in enumerate(outcomes, 1):
            name = os.path.relpath(source, ROOT)
            print(f"[{count}/{len(open_sources)}] {name}" + (f"\n{told}" if status else ""), flush=True)
            if status:
                failed.append(name)
            elif keys[source]:
                (passed_folder / keys[source]).touch()
    if failed:
        sys.exit("clang-tidy has findings in: " + ", ".join(failed))


if __name__ == "__main__":
    main()
