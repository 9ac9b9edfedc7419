#!/usr/bin/env python3
"""Checks sources with clang, and remembers what passed.

usage: check_sources.py alone BUILD_FOLDER SOURCE...
       check_sources.py tidy BUILD_FOLDER SOURCE...

"alone" compiles each source, to see that it names all it uses: BUILD_FOLDER compiles files one by one. "tidy" runs
clang-tidy on what BUILD_FOLDER compiles as one where one of the sources is in it: nine tenths of what clang-tidy does
for a file that stands alone is to look at the standard library.

What passed is checked again when it, a header of ours that it includes, its compile command or the configuration
changed. Exits with 1 when a check failed and names what it failed for at the end.
"""
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent


def scan_dependencies(build, commands):
    """The files of ours that each compiled file includes, itself among them; a file that cannot be read is left out."""
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


def key_of(check, command, files, version):
    """What a check's outcome depends on: system headers are told apart by the version of the compiler alone."""
    digest = hashlib.sha256(check.encode() + version)
    for folder in sorted({parent for file in files for parent in pathlib.Path(file).parents}):
        configuration = folder / ".clang-tidy"
        if configuration.is_relative_to(ROOT) and configuration.exists():
            digest.update(configuration.read_bytes())
    digest.update(command["command"].encode())
    for file in files:
        digest.update(file.encode())
        digest.update(pathlib.Path(file).read_bytes())
    return digest.hexdigest()


def compile_alone(command, _):
    """What clang says of a source with the options that GCC gets."""
    words = shlex.split(command["command"])
    compiler = next(i for i, word in enumerate(words) if word.startswith("-")) - 1
    return subprocess.run(["clang++", "-fsyntax-only", "-Wno-everything", *words[compiler + 1:]],
                          cwd=command["directory"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def tidy(command, build):
    """What clang-tidy says, without its counts."""
    result = subprocess.run(
        ["clang-tidy", "--quiet", "--extra-arg=-Wno-unknown-warning-option",
         "--extra-arg=-Wno-unused-command-line-argument", "-p", str(build), command["file"]],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    counts = r"^\d+ warnings? (and \d+ errors? )?(generated|treated as errors?)\.?\n"
    result.stdout = re.sub(counts, "", result.stdout, flags=re.MULTILINE)
    return result


CHECKS = {"alone": compile_alone, "tidy": tidy}


def name_of(path, build):
    """Of a source, or of the folder and number of those that are compiled as one."""
    if not path.startswith(f"{build}/"):
        return os.path.relpath(path, ROOT)
    return re.sub(r"/CMakeFiles/[^/]+/Unity", "", os.path.relpath(path, build))


def main():
    if len(sys.argv) < 4 or sys.argv[1] not in CHECKS:
        sys.exit(__doc__)
    check = sys.argv[1]
    build = pathlib.Path(sys.argv[2]).resolve()
    wanted = {os.path.realpath(source) for source in sys.argv[3:]}
    commands = {
        os.path.realpath(command["file"]): command
        for command in json.loads((build / "compile_commands.json").read_text())
    }
    version = subprocess.run(["clang-tidy", "--version"], stdout=subprocess.PIPE, check=True).stdout
    included = scan_dependencies(build, list(commands.values()))
    unknown = sorted(wanted - commands.keys() - {file for files in included.values() for file in files})
    if unknown:
        sys.exit("Not compiled by any target, so not checked: " + ", ".join(unknown))
    passed_folder = build / "passed"
    passed_folder.mkdir(exist_ok=True)
    keys = {
        file: key_of(check, command, included[file], version) if file in included else None
        for file, command in commands.items() if wanted & {file, *included.get(file, [])}
    }
    todo = [file for file, key in keys.items() if key is None or not (passed_folder / key).exists()]
    print(f"{len(keys) - len(todo)} of {len(keys)} passed before and are unchanged", flush=True)
    failed = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = pool.map(lambda file: (file, CHECKS[check](commands[file], build)), todo)
        for count, (file, result) in enumerate(outcomes, 1):
            name = name_of(file, build)
            told = "\n" + result.stdout.strip() if result.returncode else ""
            print(f"[{count}/{len(todo)}] {name}{told}", flush=True)
            if result.returncode:
                failed.append(name)
            elif keys[file]:
                (passed_folder / keys[file]).touch()
    if failed:
        sys.exit(f"Findings ({check}) in: " + ", ".join(failed))


if __name__ == "__main__":
    main()
