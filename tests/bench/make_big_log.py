#!/usr/bin/env python3
"""Writes a large trace log by repeating real ones, each repeat with compile ids of its own.

Only `frame_id` and `compiled_autograd_id` in the headers change, so that every md5 stays true and every compile of
every repeat is a compile of its own. Interned strings keep the indices of the log they come from, as they do when a
person concatenates logs.
"""
import argparse
import lzma
import pathlib
import re

FRAME = re.compile(rb'("frame_id": )(\d+)')
AUTOGRAD = re.compile(rb'("compiled_autograd_id": )(\d+)')
# Large and small, forward only and training, with graph breaks, recompiles, cache hits, Inductor's code.
DEFAULT = [
    "tlparse-logs/inductor_provenance_jit_debug_handle_log.txt",
    "tlparse-logs/cache_hit_miss.log",
    "tlparse-logs/graph_exec_order_tests/dedicated_log_torch_trace_rank_0_a74od7a1.log",
    "tlparse-logs/simple.log",
    "traces-2.11/mlp_inductor.log",
    "traces-2.11/dynamic_recompile_break.log",
    "traces/graph_breaks/dedicated_log_torch_trace_graph_breaks.log",
]


def read_log(path):
    data = lzma.open(path).read() if path.suffix == ".xz" else path.read_bytes()
    data = data.replace(b"\r\n", b"\n")
    return data if data.endswith(b"\n") else data + b"\n"


class Template:
    """A log cut at its ids, so that a repeat is one join."""

    def __init__(self, data):
        self.pieces, self.ids = [], []
        self.span = [1, 1]
        last = offset = 0
        for line in data.splitlines(keepends=True):
            if not line.startswith(b"\t"):
                for which, pattern in enumerate((FRAME, AUTOGRAD)):
                    # The envelope's own key is the last one of the line.
                    found = None
                    for found in pattern.finditer(line):
                        pass
                    if found:
                        self.ids.append((offset + found.start(2), offset + found.end(2), which, int(found.group(2))))
                        self.span[which] = max(self.span[which], int(found.group(2)) + 1)
            offset += len(line)
        self.ids.sort()
        for begin, end, _, _ in self.ids:
            self.pieces.append(data[last:begin])
            last = end
        self.tail = data[last:]

    def repeat(self, shift):
        out = []
        for piece, (_, _, which, value) in zip(self.pieces, self.ids):
            out.append(piece)
            out.append(b"%d" % (value + shift[which]))
        out.append(self.tail)
        shift[0] += self.span[0]
        shift[1] += self.span[1]
        return b"".join(out)


def make_big_log(sources, target, size):
    templates = [Template(read_log(path)) for path in sources]
    shift, written, turn = [0, 0], 0, 0
    with open(target, "wb") as out:
        while written < size:
            data = templates[turn % len(templates)].repeat(shift)
            out.write(data)
            written += len(data)
            turn += 1
    return written


def main():
    here = pathlib.Path(__file__).resolve()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--mb", type=int, default=310, help="size in units of 10^6 bytes (default 310)")
    parser.add_argument("--corpus", type=pathlib.Path, default=here.parents[3] / "shared" / "corpus")
    parser.add_argument("sources", nargs="*", type=pathlib.Path, help="logs to repeat (default: a mix of the corpus)")
    args = parser.parse_args()
    sources = args.sources or [args.corpus / name for name in DEFAULT]
    print(make_big_log(sources, args.output, args.mb * 1_000_000))


if __name__ == "__main__":
    main()
