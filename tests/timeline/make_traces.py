"""Records a training step of a small compiled model with PyTorch's profiler, and what PyTorch itself says of it.

    PYTHON make_traces.py FOLDER

mlp_trace.json.gz    the trace, as export_chrome_trace writes it
mlp_marked.json.gz   the same step where torch.fx marks the nodes that it runs
mlp_forward.txt, mlp_backward.txt   the compiled halves, as the compile logged them
mlp_events.tsv       the profiler's own events: name, duration in ns, the event around it, sequence number
"""

import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def record(folder, marked):
    import torch
    from torch.profiler import ProfilerActivity, profile, record_function

    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.Linear(32, 4))
    compiled = torch.compile(model, backend="aot_eager")
    x = torch.randn(8, 16)
    compiled(x).sum().backward()
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True, profile_memory=True) as profiler:
        with record_function("step"):
            compiled(x).sum().backward()
    name = "mlp_marked.json" if marked else "mlp_trace.json"
    profiler.export_chrome_trace(str(folder / name))
    if marked:
        return
    with open(folder / "mlp_events.tsv", "w") as out:
        for event in operators(profiler.profiler.kineto_results.experimental_event_tree()):
            parent = event.parent.name if event.parent else ""
            number = getattr(event.extra_fields, "sequence_number", -1)
            out.write("\t".join([event.name, str(event.duration_time_ns), parent, str(number)]) + "\n")


def operators(events):
    """The operators and annotations of a tree of the profiler's events, in the order of their starts."""
    from torch._C._profiler import _EventType

    for event in sorted(events, key=lambda e: e.start_time_ns):
        if event.tag == _EventType.TorchOp:
            yield event
        yield from operators(event.children)


def pack(source, target):
    text = re.sub(rb'"host_name": "[^"]*"', b'"host_name": "host"', source.read_bytes())
    with gzip.GzipFile(target, "wb", mtime=0) as packed:
        packed.write(text)


def write_graphs(log, out):
    """The payload of a record is the lines after it that begin with a tab."""
    lines = log.read_text().splitlines()
    for half in ("forward", "backward"):
        at = next(i for i, line in enumerate(lines) if f'"aot_{half}_graph"' in line)
        payload = []
        for line in lines[at + 1 :]:
            if not line.startswith("\t"):
                break
            payload.append(line[1:].replace(sys.prefix, "/venv").replace(str(pathlib.Path(__file__).parent), "/model"))
        (out / f"mlp_{half}.txt").write_text("\n".join(payload) + "\n")


def main():
    out = pathlib.Path(sys.argv[1])
    if len(sys.argv) == 4:
        record(out, sys.argv[2] == "marked")
        return
    for kind in ("plain", "marked"):
        with tempfile.TemporaryDirectory() as scratch:
            environment = dict(os.environ, TORCH_TRACE=scratch + "/log")
            if kind == "marked":
                # The spelling is PyTorch's.
                environment["TORCH_ENRICH_RPOFILER_STACK_TRACE"] = "1"
            os.makedirs(scratch + "/log")
            subprocess.run([sys.executable, __file__, scratch, kind, "child"], env=environment, check=True)
            trace = "mlp_marked" if kind == "marked" else "mlp_trace"
            pack(pathlib.Path(scratch, trace + ".json"), out / f"{trace}.json.gz")
            if kind == "plain":
                shutil.copy(scratch + "/mlp_events.tsv", out)
                write_graphs(next(pathlib.Path(scratch, "log").iterdir()), out)


if __name__ == "__main__":
    main()
