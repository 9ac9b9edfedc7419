#!/usr/bin/env python3
"""Records trace logs of Inductor's compiles, on the CPU, with PyTorch's own mapping of kernels to nodes.

    TORCHINDUCTOR_CACHE_DIR=… python make_records.py OUTPUT [NAME…]

Per program two files in OUTPUT: NAME.log.xz, the structured log, and NAME.mapping.json: for each compiled graph
in the order of their code, which nodes PyTorch says that each kernel computes. The log has that mapping only
for forward graphs; this file has it for backward graphs as well, taken from the same variable.
Needs the torch of the venv that `./dev setup` makes. Programs whose name ends in _plain run without
INDUCTOR_PROVENANCE, as most people's logs are made.
"""
import json
import lzma
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# Records that the tests do not read and that would make the logs ten times as large.
LEFT_OUT = ("fx_graph_runnable", "aotautograd_cache_", "fx_graph_cache_", "dynamo_cpp_guards_str", "dynamo_guards",
            "torch._functorch.config", "chromium_event", "compilation_metrics", "describe_storage",
            "describe_tensor", "describe_source", "aot_forward_graph_fw_metadata", "recompile_reasons",
            "inductor_tlparse", "dynamo_side_effects", "create_symbol", "guard_added", "propagate_real",
            "exported_program", "symbolic_shape", "str")


def mlp():
    import torch
    from torch import nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(16, 32)
            self.norm = nn.LayerNorm(32)
            self.second = nn.Linear(32, 4)

        def forward(self, x):
            return self.second(torch.relu(self.norm(self.first(x)))).sigmoid()

    return Model(), [torch.randn(8, 16)], {}


def softmax_loss():
    import torch
    from torch import nn
    import torch.nn.functional as F

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(50, 24)
            self.head = nn.Linear(24, 50)

        def forward(self, tokens, targets):
            hidden = torch.tanh(self.embed(tokens)) * 0.5
            scores = self.head(F.gelu(hidden))
            return F.cross_entropy(scores.view(-1, 50), targets.view(-1))

    tokens = torch.randint(0, 50, (4, 6))
    return Model(), [tokens, torch.randint(0, 50, (4, 6))], {}


def attention():
    import torch
    from torch import nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.qkv = nn.Linear(32, 96)
            self.out = nn.Linear(32, 32)

        def forward(self, x):
            q, k, v = self.qkv(x).chunk(3, dim=-1)
            heads = [t.view(2, 10, 4, 8).transpose(1, 2) for t in (q, k, v)]
            scores = heads[0] @ heads[1].transpose(-2, -1) / 8 ** 0.5
            mixed = scores.softmax(-1) @ heads[2]
            return x + self.out(mixed.transpose(1, 2).reshape(2, 10, 32))

    return Model(), [torch.randn(2, 10, 32, requires_grad=True)], {}


def fused_attention():
    import torch
    from torch import nn
    import torch.nn.functional as F

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = nn.LayerNorm(32)
            self.qkv = nn.Linear(32, 96)

        def forward(self, x):
            q, k, v = self.qkv(self.norm(x)).view(2, 10, 3, 4, 8).permute(2, 0, 3, 1, 4)
            return F.scaled_dot_product_attention(q, k, v, is_causal=True)

    return Model(), [torch.randn(2, 10, 32, requires_grad=True)], {}


def convolutions():
    import torch
    from torch import nn

    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Conv2d(8, 8, 3, padding=1), nn.SiLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(8, 5)), [torch.randn(2, 3, 16, 16)], {}


def dynamic():
    import torch
    from torch import nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(12, 12)

        def forward(self, x):
            y = self.linear(x) + x
            return (y.exp() / y.exp().sum(0)).cumsum(0) * x.shape[0]

    return Model(), [torch.randn(7, 12)], {"dynamic": True}


def breaks():
    import torch
    from torch import nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(12, 12)

        def forward(self, x):
            y = torch.relu(self.linear(x))
            torch._dynamo.graph_break()
            return (y * y).mean(-1) + torch.sin(x).amax(-1)

    return Model(), [torch.randn(7, 12, requires_grad=True)], {}


def inference():
    import torch
    from torch import nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(12, 6)
            self.register_buffer("steps", torch.zeros(()))

        def forward(self, x):
            self.steps.add_(1)
            y = torch.cat([self.linear(x), x[:, :6] * 2], dim=1)
            ranks = torch.arange(12) + torch.ones(12)
            return torch.sort(y * ranks, dim=1)[0], y.view(-1).argmax(), torch.where(y > 0, y, -y)

    return Model(), [torch.randn(7, 12)], {"training": False}


def dropout():
    import torch
    from torch import nn
    import torch.nn.functional as F

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(16, 32)
            self.second = nn.Linear(32, 32)

        def forward(self, x):
            hidden = F.dropout(F.gelu(self.first(x)), 0.1)
            return F.dropout(F.log_softmax(self.second(hidden), -1), 0.2).to(torch.float16)

    return Model(), [torch.randn(8, 16)], {}


def cpp_wrapper():
    import torch
    from torch import nn

    torch._inductor.config.cpp_wrapper = True

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(16, 32)
            self.norm = nn.LayerNorm(32)

        def forward(self, x):
            return torch.sort(torch.softmax(self.norm(torch.relu(self.first(x))), -1))[0]

    return Model(), [torch.randn(8, 16)], {}


PROGRAMS = {function.__name__: function for function in
            (mlp, softmax_loss, attention, fused_attention, convolutions, dynamic, breaks, inference, dropout, cpp_wrapper)}
PLAIN = ("mlp", "attention", "dynamic")


def record(name, mapping_file):
    """Runs in a process of its own."""
    import torch
    import torch._inductor.debug as debug

    mappings = []
    dump = debug.dump_inductor_provenance_info

    def kept():
        mappings.append({kernel: list(nodes) for kernel, nodes in
                         debug._inductor_triton_kernel_to_post_grad_node_info.items()})
        return dump()

    debug.dump_inductor_provenance_info = kept
    torch.manual_seed(0)
    model, inputs, options = PROGRAMS[name.removesuffix("_plain")]()
    training = options.get("training", True)
    compiled = torch.compile(model, dynamic=options.get("dynamic"))
    if training:
        result = compiled(*inputs)
        result.float().sum().backward()
    else:
        with torch.no_grad():
            compiled(*inputs)
    pathlib.Path(mapping_file).write_text(json.dumps(mappings, indent=1) + "\n")


def shorter(log):
    """The log without the records that no test reads, and without this machine's folders."""
    records, keep = [], False
    for line in log.splitlines(keepends=True):
        if not line.startswith("\t"):
            start = line.find("{")
            envelope = json.loads(line[start:]) if start >= 0 else {}
            name = envelope.get("artifact", {}).get("name", "")
            keep = not any(name.startswith(left) or left in envelope for left in LEFT_OUT)
        if keep:
            records.append(line)
    return "".join(records)


def main():
    output = pathlib.Path(sys.argv[1])
    names = sys.argv[2:] or [*PROGRAMS, *(name + "_plain" for name in PLAIN)]
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            environment = dict(os.environ, TORCH_TRACE=folder + "/trace", TORCHINDUCTOR_CACHE_DIR="/tmp/inductor_records",
                               TORCHINDUCTOR_FORCE_DISABLE_CACHES="1", OMP_NUM_THREADS="1")
            if not name.endswith("_plain"):
                environment["INDUCTOR_PROVENANCE"] = "1"
            mapping = pathlib.Path(folder) / "mapping.json"
            subprocess.run([sys.executable, __file__, "--record", name, mapping], env=environment, check=True)
            log = next(pathlib.Path(folder, "trace").glob("*.log")).read_text()
            log = shorter(log)
            here = str(pathlib.Path(__file__).resolve())
            log = log.replace(here, "/programs/model.py").replace(here.replace("/", "\\/"), "/programs/model.py")
            log = log.replace(sys.prefix, "/venv")
            (output / (name + ".log.xz")).write_bytes(lzma.compress(log.encode(), preset=9))
            if not name.endswith("_plain"):
                (output / (name + ".mapping.json")).write_text(mapping.read_text())
            print(name, len(log), "bytes", len(re.findall("async_compile.cpp", log)), "C++ kernels", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--record"]:
        record(sys.argv[2], sys.argv[3])
    else:
        main()
