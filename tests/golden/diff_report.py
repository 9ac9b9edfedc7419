"""Prints what torch_diff.py found, in Markdown."""

import collections
import os
import re

import source_diff

MOST_LINES, MOST_NAMES, MOST_PROGRAMS = 8, 30, 5
NAMED_TENSORS = re.compile(r"[Dd]imname|[._]names|named_out|align_|rename")
ORDER = ["Operators", "Order of operators", "Arguments", "Types", "Inputs", "Results", "Graphs inside", "Graphs", "Names"]
ORDER += ["Comments", "Metadata", "Kinds of entries", "Keys of entries"]


def indented(lines, sign):
    shown = [f"  {sign} {line.strip()[:240]}" for line in lines[:MOST_LINES]]
    return shown + ([f"  {sign} … {len(lines) - MOST_LINES} more"] if len(lines) > MOST_LINES else [])


def print_section(title, rules):
    print(f"\n### {title}: {len(rules)} rules\n")
    for rule, found in sorted(rules.items(), key=lambda x: (-len(x[1].programs), x[0])):
        kinds = ", ".join(f"{kind} {n}" for kind, n in sorted(found.graphs.items()) if kind)
        print(f"- {rule} — {len(found.programs)} programs" + (f" ({kinds})" if kinds else ""))
        program, old, new = found.example
        others = list(found.programs)[1:MOST_PROGRAMS]
        print(f"  first in {program}" + (f"; also {', '.join(others)}" if others else ""))
        if old or new:
            print("  ```diff\n" + "\n".join(indented(old, "-") + indented(new, "+")) + "\n  ```")


def print_logs(report, programs):
    print(f"## Logs\n\n{programs} programs compiled under both. Behind a rule: in how many programs, and in how many graphs of")
    print("each kind. Numbers in descriptions are shown as N, operands as %.\n")
    print("| graph | compared | equal but for comments |\n|---|---|---|")
    for kind, number in report.compared.items():
        print(f"| {kind} | {number} | {report.same[kind]} |")
    for title in ORDER:
        if report.sections[title]:
            print_section(title, report.sections[title])


def print_failures(old, new):
    print("\n## Programs that fail under one release alone\n")
    for program in sorted(old.keys() ^ new.keys()):
        release = "old" if program in old else "new"
        print(f"- {program}, the {release} one: {(old | new)[program]}")
    print(f"\n{len(old.keys() & new.keys())} fail under both.")


def print_sources(old, new):
    rows, gone, added = source_diff.changed_sources(old, new)
    print("\n## Python sources\n\nFunctions by the lines removed and added; docstrings, comments and type annotations don't count.\n")
    print("Files gone: " + (", ".join(gone) or "none") + ".\n\nFiles new: " + (", ".join(added) or "none") + ".")
    by_file = collections.defaultdict(list)
    for name, function, removed, more, was, is_ in rows:
        by_file[name].append((function, removed, more, "" if was and is_ else ", gone" if was else ", new"))
    for name, functions in by_file.items():
        print(f"\n### {name}: −{sum(x[1] for x in functions)} +{sum(x[2] for x in functions)}\n")
        for function, removed, more, what in sorted(functions, key=lambda x: -x[1] - x[2]):
            print(f"- `{function}` −{removed} +{more}{what}")


def listed(names):
    """Names, those of named tensors as their number."""
    kept = [x for x in names if not NAMED_TENSORS.search(x)]
    text = ", ".join(f"`{x}`" for x in kept) or "none"
    return text + (f", and {len(names) - len(kept)} of named tensors" if len(kept) < len(names) else "")


def print_tables(old, new):
    for table, gone, added, changed in source_diff.changed_tables(old, new):
        print(f"\n## {os.path.basename(table)}\n\n- gone: {listed(gone)}\n- new: {listed(added)}")
        for name, lines in sorted(changed.items()):
            lines = [x for x in lines if not x.startswith("@@")]
            print(f"- `{name}`\n  ```diff\n" + "\n".join("  " + x[:300] for x in lines) + "\n  ```")


def print_schemas(old, new):
    old, new = ({x.split("(")[0]: x for x in schemas} for schemas in (old, new))
    gone, added = sorted(old.keys() - new.keys()), sorted(new.keys() - old.keys())
    changed = sorted(x for x in old.keys() & new.keys() if old[x] != new[x])
    print(f"\n### Schemas: {len(gone)} gone, {len(added)} new, {len(changed)} changed\n\n- gone: {listed(gone)}")
    for name in added:
        print(f"- new: `{new[name]}`")
    for name in changed:
        print(f"- `{old[name]}`\n  → `{new[name]}`")


def print_properties(title, old, new):
    """Of operators that both have: the same change of a list of words, for all operators that have it."""
    changes = collections.defaultdict(list)
    for name in sorted(old.keys() & new.keys()):
        signed = [f"− {x}" for x in old[name] if x not in new[name]] + [f"+ {x}" for x in new[name] if x not in old[name]]
        if signed:
            changes[", ".join(signed)].append(name)
    print(f"\n### {title}\n")
    for change, names in sorted(changes.items(), key=lambda x: -len(x[1])):
        print(f"- {change}: {len(names)} operators: {listed(names[:MOST_NAMES])}{' …' if len(names) > MOST_NAMES else ''}")


def print_names(title, old, new):
    print(f"\n### {title}\n\n- gone: {listed(sorted(set(old) - set(new)))}\n- new: {listed(sorted(set(new) - set(old)))}")


def print_options(name, old, new):
    print_names(f"Options of {name}", old, new)
    for option in sorted(old.keys() & new.keys()):
        if old[option] != new[option]:
            print(f"- `{option}`: `{old[option]}` → `{new[option]}`")


def print_facts(old, new):
    print("\n## Operators, decompositions and options")
    print_schemas(old["schemas"], new["schemas"])
    print_properties("Keys with a kernel", old["kernels"], new["kernels"])
    print_properties("Tags", old["tags"], new["tags"])
    everywhere = [dict.fromkeys(old["kernels"].keys() & new["kernels"].keys(), ()) | x["python_kernels"] for x in (old, new)]
    print_properties("Kernels in Python", *everywhere)
    for name in old["decompositions"]:
        print_names(f"Decompositions, {name}", old["decompositions"][name], new["decompositions"][name])
    print_names("Higher-order operators", old["higher_order"], new["higher_order"])
    for name in old["options"]:
        print_options(name, old["options"][name], new["options"][name])
