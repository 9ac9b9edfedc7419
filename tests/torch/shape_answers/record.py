"""Records what PyTorch's fake tensors answer: for ATen calls that its own operator samples reach, the metadata of
arguments and results, one JSON line per call."""
import collections, hashlib, itertools, json, sys, time, warnings, math
import torch
try:
    import no_gpu_context
except ImportError:
    pass
from torch._subclasses.fake_tensor import FakeTensorMode, FakeTensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch._dispatch.python import enable_python_dispatcher
from torch.utils import _pytree as pytree
warnings.filterwarnings("ignore")
CAP = 20

class Unsupported(Exception):
    pass

def tensor(t):
    if t.layout != torch.strided or t.is_quantized or t.is_conj() or t.is_neg():
        raise Unsupported
    d = {"dtype": str(t.dtype)[6:], "shape": list(map(int, t.shape)), "stride": list(map(int, t.stride()))}
    off = int(t.storage_offset())
    if off:
        d["offset"] = off
    d["device"] = t.device.type
    if t.dim() == 0 and torch._C._functorch is not None and getattr(t, "_is_wn", False):
        d["wrapped"] = True
    return {"tensor": d}

def enc(x):
    if isinstance(x, torch.Tensor):
        return tensor(x)
    if isinstance(x, (list, tuple)):
        return [enc(i) for i in x]
    if isinstance(x, bool) or x is None or isinstance(x, str):
        return x
    if isinstance(x, int):
        return x
    if isinstance(x, float):
        if math.isinf(x) or math.isnan(x):
            return {"float": str(x)}
        return x
    if isinstance(x, complex):
        return {"complex": [x.real, x.imag]}
    if isinstance(x, torch.dtype):
        return {"dtype": str(x)[6:]}
    if isinstance(x, torch.device):
        return {"device": str(x)}
    if isinstance(x, torch.layout):
        return {"layout": str(x)[6:]}
    if isinstance(x, torch.memory_format):
        return {"memory_format": str(x)[6:]}
    raise Unsupported

cases = collections.defaultdict(dict)
fresh = collections.defaultdict(set)

def on_zeros(x):
    if isinstance(x, torch.Tensor):
        return torch.zeros_like(x, device="cpu") if x.is_meta else real(x)
    return torch.device("cpu") if isinstance(x, torch.device) else x

def real(t):
    with torch.utils._python_dispatch._disable_current_modes(), torch._C._DisablePythonDispatcher():
        span = 1 + sum((n - 1) * s for n, s in zip(t.shape, t.stride())) if t.numel() else 0
        return torch.zeros(span, dtype=t.dtype).as_strided(tuple(t.shape), tuple(t.stride()))

class Recorder(TorchDispatchMode):
    device = "cpu"

    def sound(self, func, args, kwargs):
        """Fake tensors let in-place operators through that no real tensor could take."""
        if not func._schema.is_mutable:
            return True
        try:
            a, k = pytree.tree_map(on_zeros, (args, kwargs))
            with torch.utils._python_dispatch._disable_current_modes(), torch._C._DisablePythonDispatcher():
                func(*a, **k)
            return True
        except Exception:
            return False
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        try:
            before = (enc(args), {k: enc(v) for k, v in kwargs.items()})
        except Unsupported:
            before = None
        wanted = before is not None and func.namespace == "aten" and self.sound(func, args, kwargs)
        out = func(*args, **kwargs)
        if not wanted:
            return out
        try:
            after = enc(out)
        except Unsupported:
            return out
        try:
            line = {"target": str(func), "device": self.device, "args": before[0]}
            if before[1]:
                line["kwargs"] = before[1]
            line["val"] = after
            text = json.dumps(line, separators=(",", ":"))
            if len(text) < 3000:
                cases[(str(func), self.device)].setdefault(hashlib.md5(text.encode()).hexdigest(), text)
        except Exception:
            pass
        return out

def variant(t, kind):
    """sizes and strides of a tensor laid out otherwise"""
    size = list(t.shape); stride = list(t.stride())
    if kind == "channels_last":
        if t.dim() == 4:
            m = torch.empty(size, device="meta").to(memory_format=torch.channels_last)
        elif t.dim() == 5:
            m = torch.empty(size, device="meta").to(memory_format=torch.channels_last_3d)
        else:
            return size, stride
        return size, list(m.stride())
    if kind == "permuted" and t.dim() >= 2:
        m = torch.empty(size, device="meta").transpose(0, -1).contiguous().transpose(0, -1)
        return size, list(m.stride())
    if kind == "gaps" and t.dim() >= 1:
        m = torch.empty(size[:-1] + [size[-1] * 2], device="meta")[..., ::2]
        return size, list(m.stride())
    return size, stride

def fake_like(mode, t, device, kind):
    if not isinstance(t, torch.Tensor):
        return t
    if t.layout != torch.strided:
        raise Unsupported
    size, stride = variant(t.detach(), kind)
    with mode:
        r = torch.empty_strided(size, stride, dtype=t.dtype, device=device)
    if t.requires_grad:
        r.requires_grad_(True)
    return r

def run(fn, args, kwargs, device, kind, grad=True):
    mode = FakeTensorMode()
    rec = Recorder(); rec.device = device
    def conv(x):
        return fake_like(mode, x, device, kind)
    def dev(x):
        return torch.device(device) if isinstance(x, torch.device) or x in ("cpu",) and isinstance(x, str) else conv(x)
    args, kwargs = pytree.tree_map(dev, (args, kwargs))
    with enable_python_dispatcher(), mode, rec:
        out = fn(*args, **kwargs)
        if grad:
            leaves = [x for x in pytree.tree_leaves((args, kwargs)) if isinstance(x, torch.Tensor) and x.requires_grad]
            outs = [o for o in pytree.tree_leaves(out) if isinstance(o, torch.Tensor) and o.requires_grad]
            if leaves and outs:
                gs = [torch.empty_like(o) for o in outs]
                torch.autograd.grad(outs, leaves, gs, allow_unused=True)
                if kind == "plain" and len(outs) == 1 and outs[0].dim() > 1:
                    out2 = fn(*args, **kwargs)
                    o2 = [o for o in pytree.tree_leaves(out2) if isinstance(o, torch.Tensor) and o.requires_grad]
                    g = [torch.empty_like(o.transpose(0, -1).contiguous()).transpose(0, -1) for o in o2]
                    torch.autograd.grad(o2, leaves, g, allow_unused=True)

def attempt(*a, **k):
    try:
        run(*a, **k)
        return True
    except Exception as e:
        return False

def main(out):
    from torch.testing._internal.common_methods_invocations import op_db
    start = time.time()
    budget = float(sys.argv[2]) if len(sys.argv) > 2 else 600
    names = sys.argv[3].split(",") if len(sys.argv) > 3 else None
    for index, op in enumerate(op_db):
        if names and op.name not in names:
            continue
        if op.name.startswith(("nn.functional._", "jiterator")):
            continue
        for dtype in (torch.float32, torch.bfloat16, torch.int64, torch.complex64, torch.bool):
            if dtype not in op.supported_dtypes("cpu"):
                continue
            grad = dtype in (torch.float32, torch.complex64) and op.supports_autograd
            limit = {torch.float32: 10, torch.bfloat16: 4}.get(dtype, 4)
            try:
                torch.manual_seed(0)
                samples = list(itertools.islice(op.sample_inputs("cpu", dtype, requires_grad=grad), 200))
            except Exception as e:
                continue
            step = max(1, len(samples) // limit)
            for s in samples[::step][:limit]:
                for device in ("cpu", "cuda"):
                    for kind in (("plain", "channels_last", "permuted", "gaps") if dtype == torch.float32 else ("plain",)):
                        attempt(op.op, (s.input, *s.args), s.kwargs, device, kind, grad)
                        if op.inplace_variant and kind == "plain" and not grad:
                            attempt(op.inplace_variant, (s.input, *s.args), s.kwargs, device, kind, False)
        if index % 25 == 0:
            print(index, len(op_db), op.name, len(cases), sum(map(len, cases.values())), round(time.time() - start), flush=True, file=sys.stderr)
        if time.time() - start > budget:
            print("budget used up at", op.name, file=sys.stderr)
            break
    write(out)

def write(out):
    with open(out, "w") as f:
        for key in sorted(cases):
            texts = [cases[key][h] for h in sorted(cases[key])]
            for text in texts[:CAP]:
                f.write(text + "\n")

if __name__ == "__main__":
    main(sys.argv[1])
