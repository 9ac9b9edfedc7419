#!/usr/bin/env python3
"""Lists by rule what changed between two releases of PyTorch.

    ./dev torch-diff OLD NEW [--pack PACK]… [--cache FOLDER] [--python PYTHON]      (say, 2.11.0 2.15.0)

The programs of tests/golden/programs are compiled under both wheels; their logs are compared graph by graph, and the
wheels' sources, schemas and tables too. The report, in Markdown, goes to standard output. Environments and logs are kept
in FOLDER (in the user's cache unless given): what is there is not made again.
"""

import argparse
import collections
import dataclasses
import glob
import json
import os
import re
import subprocess
import sys

import diff_report
import graph_diff
import graph_text
import make_packs
import repr_text
import source_diff
import trace_log

HERE = os.path.dirname(os.path.abspath(__file__))
GRAPHS = {
    "dynamo_output_graph": "Dynamo",
    "aot_joint_graph": "joint",
    "aot_forward_graph": "forward",
    "aot_backward_graph": "backward",
    "aot_inference_graph": "inference",
    "compiled_autograd_graph": "compiled autograd",
}
METADATA = ("artifact aot_forward_graph_fw_metadata", "artifact aot_forward_graph_fw_subclass_metadata")
PACKS = ("training_steps", "aotautograd_features", "changing_batch_and_length", "single_layers", "models_and_optimizers")
PACKS += ("symbolic_sizes", "language_models", "inplace_on_changing_sizes", "compiled_autograd", "unusual_text", "single_operators")


# ---- one release -----------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Release:
    version: str
    folder: str

    @property
    def python(self):
        return os.path.join(self.folder, "venv", "bin", "python")

    @property
    def packages(self):
        return glob.glob(os.path.join(self.folder, "venv", "lib", "python*", "site-packages"))[0]

    def install(self, python):
        if os.path.exists(os.path.join(self.folder, "venv", "complete")):
            return
        environment = os.path.join(self.folder, "venv")
        subprocess.run([python, "-m", "venv", environment], check=True)
        packages = [f"torch=={self.version}", "numpy", "expecttest"]
        subprocess.run([self.python, "-m", "pip", "install", "-q", *packages], check=True, stdout=sys.stderr)
        open(os.path.join(environment, "complete"), "w").close()

    def record(self, pack):
        """Programs whose log is there already are left out."""
        logs = os.path.join(self.folder, "logs", pack)
        os.makedirs(logs, exist_ok=True)
        command = [self.python, os.path.join(HERE, "make_packs.py"), "record", "--apart", pack, logs]
        with open(logs + ".txt", "a") as told:
            subprocess.run(command, stdout=told, stderr=told, check=False, env=os.environ | {"OMP_NUM_THREADS": "1"})

    def logs(self, pack):
        found = {}
        for path in glob.glob(os.path.join(self.folder, "logs", pack, "*", "*.log")):
            found.setdefault(f"{pack}/{os.path.basename(os.path.dirname(path))}", path)
        return found

    def failures(self, pack):
        """What each program that failed said."""
        found = {}
        with open(os.path.join(self.folder, "logs", pack + ".txt")) as file:
            for line in file:
                verdict, _, rest = line.strip().partition(" ")
                name, _, message = rest.partition(" ")
                if verdict in ("FAIL", "DIED"):
                    found[f"{pack}/{name}"] = message
                elif verdict == "ok":
                    found.pop(f"{pack}/{name}", None)
        return found

    def facts(self):
        path = os.path.join(self.folder, "facts.json")
        if not os.path.exists(path):
            told = subprocess.run([self.python, os.path.join(HERE, "torch_facts.py")], check=True, capture_output=True, text=True)
            with open(path, "w") as file:
                file.write(told.stdout)
        with open(path) as file:
            return json.load(file)


# ---- counting --------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Rule:
    programs: dict = dataclasses.field(default_factory=dict)  # their names, in order
    graphs: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    example: tuple = ("", [], [])


class Report:
    def __init__(self):
        self.sections = collections.defaultdict(lambda: collections.defaultdict(Rule))
        self.compared = collections.Counter()
        self.same = collections.Counter()

    def add(self, section, rule, program, graph="", old=(), new=()):
        found = self.sections[section][rule]
        if not found.programs:
            found.example = (program, list(old), list(new))
        found.programs.setdefault(program)
        found.graphs[graph] += 1


def by_compile(path):
    """Entries by kind, compile and how often the kind came there before."""
    found, seen = {}, collections.Counter()
    for entry in trace_log.entries(path):
        key = entry.kind, entry.compile
        found[(*key, seen[key])] = entry
        seen[key] += 1
    return found


def compare_graphs(report, program, kind, old, new, known):
    """Returns the new names of the old nodes."""
    report.compared[kind] += 1
    changes, names = graph_diff.compare(graph_text.graphs(old.payload), graph_text.graphs(new.payload), known)
    for change in {(x.section, x.rule): x for x in reversed(changes)}.values():
        report.add(change.section, change.rule, program, kind, change.old, change.new)
    if not any(x.section != "Comments" for x in changes):
        report.same[kind] += 1
    return names


def compare_keys(report, section, program, kind, old, new):
    if isinstance(old, dict) and isinstance(new, dict):
        for key in old.keys() - new.keys():
            report.add(section, f"{kind}: `{key}` is gone", program)
        for key in new.keys() - old.keys():
            report.add(section, f"{kind}: `{key}` is new", program)


def compare_logs(report, program, old_path, new_path):
    old, new = by_compile(old_path), by_compile(new_path)
    joint_names = {}
    for key in (x for x in old if x in new):
        if key[0] in GRAPHS:
            names = compare_graphs(report, program, GRAPHS[key[0]], old[key], new[key], joint_names.get(key[1], {}))
            if key[0] == "aot_joint_graph":
                joint_names[key[1]] = names
        elif key[0] in METADATA:
            for rule in repr_text.differences(repr_text.read(old[key].payload), repr_text.read(new[key].payload)):
                report.add("Metadata", rule, program)
        compare_keys(report, "Keys of entries", program, f"`{key[0]}`", old[key].told, new[key].told)
        compare_keys(report, "Keys of entries", program, "every kind, beside the entry", old[key].place, new[key].place)
    for which, here, there in (("gone", old, new), ("new", new, old)):
        kinds = {key[0] for key in here} - {key[0] for key in there}
        for kind in {re.sub(r"resume_in_.*_at_\d+_", "resume_in_…_at_N_", kind) for kind in kinds}:
            report.add("Kinds of entries", f"`{kind}` is {which}", program)
        for key in here.keys() - there.keys():
            if key[0] in GRAPHS and key[0] not in kinds:
                report.add("Graphs", f"a {GRAPHS[key[0]]} graph more is {which}", program, GRAPHS[key[0]])


def compare(old, new, packs, halves):
    report, programs, failures = Report(), 0, ({}, {})
    for pack in packs:
        logs = old.logs(pack), new.logs(pack)
        for program in sorted(logs[0].keys() & logs[1].keys()):
            if make_packs.half(program.partition("/")[2]) not in halves:
                continue
            compare_logs(report, program, logs[0][program], logs[1][program])
            programs += 1
        for release, found in zip((old, new), failures):
            found |= {x: y for x, y in release.failures(pack).items() if make_packs.half(x.partition("/")[2]) in halves}
    return report, programs, failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--pack", action="append", help="a pack of make_packs.py; may be given again")
    parser.add_argument("--cache", default=os.path.expanduser("~/.cache/aotscope/torch-diff"))
    parser.add_argument("--python", default=sys.executable, help="makes the environments; both wheels must know its version")
    parser.add_argument("--recorded", action="store_true", help="compare the logs that are there, record none")
    parser.add_argument("--sources", metavar="FOLDER", help="write the changed functions' texts there, too")
    parser.add_argument("--open", action="store_true", help="of the open half of the programs alone (README.md)")
    asked = parser.parse_args()
    old, new = (Release(x, os.path.join(asked.cache, f"torch-{x}")) for x in (asked.old, asked.new))
    packs = asked.pack or PACKS
    for release in (old, new):
        release.install(asked.python)
        for pack in packs if not asked.recorded else ():
            release.record(pack)
    packs = [x for x in packs if all(os.path.exists(os.path.join(r.folder, "logs", x + ".txt")) for r in (old, new))]
    report, programs, failures = compare(old, new, packs, ("open",) if asked.open else make_packs.HALVES)
    print(f"# What changed from torch {asked.old} to {asked.new}\n")
    print(f"Made by `./dev torch-diff {asked.old} {asked.new}`; packs: {', '.join(packs)}.\n")
    diff_report.print_logs(report, programs)
    diff_report.print_failures(*failures)
    diff_report.print_tables(old.packages, new.packages)
    diff_report.print_facts(old.facts(), new.facts())
    diff_report.print_sources(old.packages, new.packages)
    if asked.sources:
        os.makedirs(asked.sources, exist_ok=True)
        source_diff.write_changes(old.packages, new.packages, asked.sources)


if __name__ == "__main__":
    main()
