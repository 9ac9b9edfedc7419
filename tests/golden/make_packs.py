#!/usr/bin/env python3
"""Makes the logs of tests/golden/packs again, with torch 2.11.0.

    python make_packs.py record PACK OUT [NAME…]                    the log of each program, in OUT/NAME
    python make_packs.py join PACK OUT FILE.log.xz [PATH=REPLACEMENT…]   one log of them all

When they are joined, each program gets frame numbers of its own, in the order of the programs' names; interned strings
are numbered anew. Paths of the machine are replaced as asked, and the payloads' md5 sums made true again.
"""

import dataclasses
import glob
import hashlib
import importlib
import lzma
import os
import re
import sys

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
    "changing_batch_and_length": Pack("changing_batch_and_length", captures_values=False),
    "compiled_autograd": Pack("compiled_autograd", captures_values=False),
    "inductor_decompositions": Pack("inductor_decompositions", "inductor_graphs"),
    "inplace_on_changing_sizes": Pack("inplace_on_changing_sizes"),
    "inplace_on_changing_sizes_inductor": Pack("inplace_on_changing_sizes", "inductor_graphs"),
    "language_models": Pack("language_models"),
    "models_and_optimizers": Pack("models_and_optimizers"),
    "numpy_functions": Pack("numpy_functions"),
    "operators_on_changing_sizes": Pack("operators_on_changing_sizes"),
    "research_models": Pack("research_models"),
    "single_layers": Pack("single_layers", in_turn=True),
    "single_operators_inductor": Pack("single_operators", "inductor_graphs", captures_values=False),
    "symbolic_sizes": Pack("symbolic_sizes", in_turn=True),
    "training_steps": Pack("training_steps", without=SMALLER),
    "training_steps_inductor": Pack("training_steps", "inductor_graphs", without=SMALLER),
    "unusual_text": Pack("unusual_text", captures_values=False, without=TEXT_ALONE),
}

STRING = re.compile(rb'\] (\{"str": \["(.*)", (\d+)\]\})$')
FILE = re.compile(rb'"filename": (\d+)')
FRAME = re.compile(rb'"frame_id": (\d+)')
DIGEST = re.compile(rb'"has_payload": "[0-9a-f]{32}"')


def records(raw):
    """Envelope lines, each with the lines of its payload."""
    lines = raw.split(b"\n")
    i = 0
    while i < len(lines):
        end = i + 1
        while end < len(lines) and lines[end].startswith(b"\t"):
            end += 1
        yield lines[i], lines[i + 1 : end]
        i = end


def joined(logs, unwanted, replacements):
    """The lines of the logs as one log."""
    strings, out, frame = {}, [], 0
    for folder in sorted(glob.glob(os.path.join(logs, "*"))):
        files = glob.glob(os.path.join(folder, "*.log"))
        if len(files) != 1:
            continue
        raw = open(files[0], "rb").read()
        for replacement in replacements:
            raw = raw.replace(*(part.encode() for part in replacement.split("=", 1)))
        local, last = {}, -1
        for envelope, payload in records(raw):
            if any(kind in envelope for kind in unwanted):
                continue
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
            digest = hashlib.md5(b"\n".join(line[1:] for line in payload)).hexdigest().encode()
            out.append(DIGEST.sub(b'"has_payload": "' + digest + b'"', envelope))
            out.extend(payload)
        frame += last + 1
    return out


def record(pack, out, *names):
    os.environ["TORCH_TRACE"] = out
    sys.path.insert(0, os.path.join(HERE, "programs"))
    import common

    if pack.captures_values:
        common.capture_values()
    importlib.import_module(pack.programs)
    common.choose_backend(pack.backend)
    if pack.in_turn:
        common.run_in_turn(names)
    else:
        common.run_apart(out, names)


def join(pack, logs, packed, *replacements):
    unwanted = [b'"' + kind.encode() + b'"' for kind in pack.without]
    with open(packed, "wb") as file:
        lines = joined(logs, unwanted, replacements)
        file.write(lzma.compress(b"\n".join(lines) + b"\n", preset=9 | lzma.PRESET_EXTREME))


if __name__ == "__main__":
    command, pack, *rest = sys.argv[1:]
    {"record": record, "join": join}[command](PACKS[pack], *rest)
