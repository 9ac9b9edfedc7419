#!/usr/bin/env python3
"""Makes the logs of tests/golden/packs (with torch 2.11.0) and packs-2.15 (with torch 2.15.0) again.

    python make_packs.py record PACK OUT [NAME…] [--apart]
        the log of each program, in OUT/NAME
    python make_packs.py join PACK OUT FILE.log.xz [--half HALF] [--one-in N] [--everything] [--replace PATH=REPLACEMENT]…
        one log of them all, of one half of them, or of one in N of them

When they are joined, each program gets frame numbers of its own, in the order of the programs' names; interned strings
are numbered anew. Paths of the machine are replaced as asked, and the payloads' md5 sums made true again. Beside the log
FILE.expected.tsv names the program of each compile; that of a log of all programs is kept if it is there.
"""

import argparse
import dataclasses
import glob
import hashlib
import importlib
import lzma
import os
import re
import sys

from trace_log import records

HERE = os.path.dirname(os.path.abspath(__file__))


@dataclasses.dataclass
class Pack:
    """The module of `programs` it is made of, and how."""

    programs: str
    backend: str = "aot_eager"
    # Dynamo traces `item()` and operators whose results' sizes depend on values, in every program.
    captures_values: bool = True
    # All programs in one process, with one log, which is taken as it is.
    in_turn: bool = False
    # Records of these kinds, or artifacts of these names, are left out.
    without: tuple = ()


SMALLER = ("chromium_event", "aotautograd_cache_miss", "after_pre_grad_graph", "bwd_compilation_metrics")
TEXT_ALONE = ("chromium_event", "dynamo_cpp_guards_str", "torch._functorch.config", "describe_", "create_symbol")
PACKS = {
    "aot_eager_decomp_partition": Pack("training_steps", "aot_eager_decomp_partition", without=SMALLER),
    "aotautograd_features": Pack("aotautograd_features", captures_values=False),
    "aotautograd_features_inductor": Pack("aotautograd_features", "inductor_graphs", captures_values=False),
    "changed_options": Pack("changed_options", captures_values=False, without=("chromium_event", "aotautograd_cache_miss")),
    "changed_references": Pack("changed_references", without=SMALLER),
    "changing_batch_and_length": Pack("changing_batch_and_length", captures_values=False),
    "compiled_autograd": Pack("compiled_autograd", captures_values=False),
    "derivatives_of_primitives": Pack("derivatives_of_primitives", without=SMALLER),
    "dtypes_of_one_memory": Pack("dtypes_of_one_memory", without=SMALLER),
    "everyday_programs": Pack("everyday_programs", without=SMALLER),
    "everyday_programs_inductor": Pack("everyday_programs", "inductor_graphs", without=SMALLER),
    "function_warnings": Pack("function_warnings", without=SMALLER),
    "global_states": Pack("global_states", without=SMALLER),
    "global_states_inductor": Pack("global_states", "inductor_graphs", without=SMALLER),
    "grad_mode_left": Pack("grad_mode_left", without=SMALLER),
    "hook_library": Pack("hook_library", without=SMALLER),
    "inductor_decompositions": Pack("inductor_decompositions", "inductor_graphs"),
    "inductor_changes_2_15": Pack("inductor_changes_2_15", "inductor_graphs"),
    "inplace_on_changing_sizes": Pack("inplace_on_changing_sizes"),
    "inplace_on_changing_sizes_inductor": Pack("inplace_on_changing_sizes", "inductor_graphs"),
    "language_models": Pack("language_models"),
    "models_and_optimizers": Pack("models_and_optimizers"),
    "numbers_ones_and_assigned_data": Pack("numbers_ones_and_assigned_data", without=SMALLER),
    "numpy_functions": Pack("numpy_functions"),
    "numpy_names": Pack("numpy_names", without=SMALLER),
    "operators_on_changing_sizes": Pack("operators_on_changing_sizes"),
    "own_decompositions": Pack("own_decompositions", without=SMALLER),
    "random_draws": Pack("random_draws", without=SMALLER),
    "rare_metadata": Pack("rare_metadata"),
    "recomputed_random": Pack("recomputed_random", without=SMALLER),
    "research_models": Pack("research_models"),
    "result_layouts": Pack("result_layouts", without=SMALLER),
    "sizes_as_floats": Pack("sizes_as_floats", without=SMALLER),
    "sizes_as_floats_inductor": Pack("sizes_as_floats", "inductor_graphs", without=SMALLER),
    "sizes_of_data": Pack("sizes_of_data", without=SMALLER),
    "saved_tensors_hooks": Pack("saved_tensors_hooks", captures_values=False, without=SMALLER),
    "saved_tensors_hooks_decomp_partition": Pack(
        "saved_tensors_hooks", "aot_eager_decomp_partition", captures_values=False, without=SMALLER
    ),
    "single_layers": Pack("single_layers", in_turn=True),
    "single_operators": Pack("single_operators", captures_values=False),
    "single_operators_inductor": Pack("single_operators", "inductor_graphs", captures_values=False),
    "symbolic_sizes": Pack("symbolic_sizes", in_turn=True),
    "tensors_of_sizes": Pack("tensors_of_sizes", without=SMALLER),
    "training_steps": Pack("training_steps", without=SMALLER),
    "training_steps_inductor": Pack("training_steps", "inductor_graphs", without=SMALLER),
    "unusual_text": Pack("unusual_text", captures_values=False, without=TEXT_ALONE),
}

HALVES = ("open", "held_back")


def number(name):
    return int(hashlib.md5(name.encode()).hexdigest(), 16)


def half(name):
    """Which half a program belongs to: a rule that does not look at what it is."""
    return HALVES[number(name) % 2]


STRING = re.compile(rb'\] (\{"str": \["(.*)", (\d+)\]\})$')
FILE = re.compile(rb'"filename": (\d+)')
PLACE = re.compile(rb'"(frame_id|frame_compile_id|attempt|compiled_autograd_id)": (\d+)')
FRAME = re.compile(rb'"frame_id": (\d+)')
VERSION = b'{"artifact": {"name": "torch_version"'  # once in a log
DIGEST = re.compile(rb'"has_payload": "[0-9a-f]{32}"')


def programs(logs, wanted):
    """Names and files of the programs with one log."""
    for folder in sorted(glob.glob(os.path.join(logs, "*", ""))):
        name, files = os.path.basename(os.path.dirname(folder)), glob.glob(os.path.join(folder, "*.log"))
        if len(files) == 1 and wanted(name):
            yield name, files[0]


def compile_of(envelope):
    """As the tables name it, without its graph: 3/0; below compiled autograd, where the graph is named too, !0/3/1_2."""
    place = {key: int(value) for key, value in PLACE.findall(envelope)}
    number = f"{place[b'frame_id']}/{place.get(b'frame_compile_id', 0)}"
    if b"compiled_autograd_id" not in place:
        return number
    attempt = f"_{place[b'attempt']}" if place.get(b"attempt") else ""
    return f"!{place[b'compiled_autograd_id']}/{number}{attempt} inference"


def joined(logs, wanted, unwanted, replacements):
    """The lines of the logs as one log, and the program of each compile."""
    strings, out, frame, compiles, versioned = {}, [], 0, {}, False
    for name, file in programs(logs, wanted):
        with open(file, "rb") as opened:
            raw = opened.read()
        for replacement in replacements:
            raw = raw.replace(*(part.encode() for part in replacement.split("=", 1)))
        local, last = {}, -1
        for envelope, payload in records(raw):
            if any(kind in envelope for kind in unwanted) or (versioned and VERSION in envelope):
                continue
            versioned = versioned or VERSION in envelope
            interned = STRING.search(envelope)
            if interned:
                text = interned.group(2)
                local[interned.group(3)] = text
                if text not in strings:
                    strings[text] = len(strings)
                    out.append(envelope[: interned.start(3)] + str(strings[text]).encode() + b"]}")
                continue
            numbered = lambda m: b'"filename": %d' % strings[local[m.group(1)]] if m.group(1) in local else m.group(0)
            envelope = FILE.sub(numbered, envelope)
            if FRAME.search(envelope):
                last = max(last, int(FRAME.search(envelope).group(1)))
                envelope = FRAME.sub(lambda m: b'"frame_id": %d' % (frame + int(m.group(1))), envelope)
                compiles.setdefault(compile_of(envelope), name)
            digest = hashlib.md5(b"\n".join(line[1:] for line in payload)).hexdigest().encode()
            out.append(DIGEST.sub(b'"has_payload": "' + digest + b'"', envelope))
            out.extend(payload)
        frame += last + 1
    return out, compiles


def record(asked):
    os.environ["TORCH_TRACE"] = asked.out
    sys.path.insert(0, os.path.join(HERE, "programs"))
    import common

    pack = PACKS[asked.pack]
    if pack.captures_values:
        common.capture_values()
    importlib.import_module(pack.programs)
    common.choose_backend(pack.backend)
    if pack.in_turn and not asked.apart:
        common.run_in_turn(asked.names)
    else:
        common.run_apart(asked.out, asked.names)


def write_programs(path, compiles):
    """A table to begin with: the test keeps its programs and writes the verdicts."""
    with open(path, "w") as file:
        file.write("compile\tprogram\tgraph\tmetadata\tpartition\treason\n")
        file.writelines(f"{compile_}\t{name}\t-\t-\t-\t-\n" for compile_, name in compiles.items())


def join(asked):
    left_out = () if asked.everything else PACKS[asked.pack].without
    if asked.half and not asked.everything:
        left_out += SMALLER
    unwanted = [b'"' + kind.encode() + b'"' for kind in left_out]
    wanted = lambda name: asked.half in (None, half(name)) and number(name) // 2 % asked.one_in == 0
    lines, compiles = joined(asked.out, wanted, unwanted, asked.replace)
    text = b"\n".join(lines) + b"\n"
    with open(asked.file, "wb") as file:
        file.write(lzma.compress(text, preset=9 | lzma.PRESET_EXTREME) if asked.file.endswith(".xz") else text)
    table = asked.file.partition(".log")[0] + ".expected.tsv"
    if asked.half or not os.path.exists(table):
        write_programs(table, compiles)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    recording = commands.add_parser("record")
    recording.set_defaults(run=record)
    joining = commands.add_parser("join")
    joining.set_defaults(run=join)
    for command in (recording, joining):
        command.add_argument("pack", choices=PACKS)
        command.add_argument("out")
    recording.add_argument("names", nargs="*")
    recording.add_argument("--apart", action="store_true", help="each program in a process of its own, whatever the table says")
    joining.add_argument("file")
    joining.add_argument("--replace", action="append", default=[], metavar="PATH=REPLACEMENT")
    joining.add_argument("--half", choices=HALVES)
    joining.add_argument("--one-in", type=int, default=1, metavar="N")
    joining.add_argument("--everything", action="store_true", help="leave out no kind of record")
    asked = parser.parse_args()
    asked.run(asked)


if __name__ == "__main__":
    main()
