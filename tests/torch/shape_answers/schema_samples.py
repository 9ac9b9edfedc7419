"""Records calls of the operators that neither `record.py` nor `direct_calls.py` reaches, drawn by the operators' schemas.

    python schema_samples.py OUT KNOWN.jsonl...

A functional operator gets arguments by the types and names in its schema, for tensors of several ranks and dtypes; calls
that fit nothing in general are written out in `by_hand`. An in-place or `out=` operator repeats the calls of its functional
form. A call is kept if the operator itself takes it, on zeros on the CPU. The answer is that of fake tensors; of operators
that PyTorch has no shape function for it is the operator's own. What could not be called goes to OUT.left with the reason."""
import collections, itertools, json, os, re, signal, sys, warnings
import torch
from record import enc, Unsupported, FakeTensorMode, enable_python_dispatcher
from schema_samples_by_hand import T, by_hand
warnings.filterwarnings("ignore")
aten = torch.ops.aten
CAP = 6
f32, i64, b8, c64, u8, bf16 = torch.float32, torch.int64, torch.bool, torch.complex64, torch.uint8, torch.bfloat16

def built(value):
    if isinstance(value, T):
        return value.make()
    if isinstance(value, (list, tuple)):
        return type(value)(built(v) for v in value)
    return value

# --- arguments by the schema -----------------------------------------------------------------------------------------

INDEX = ("index", "indices", "target", "targets", "offsets", "batch_sizes", "crow_indices", "col_indices", "lengths", "labels",
         "boundaries_index", "compressed_indices", "plain_indices", "cum_seq_q", "cum_seq_k")
MASK = ("mask", "found", "condition")
SHAPES = ((4, 6), (3, 4, 5), (6,), (5, 5), (2, 3, 8, 9), (2, 3, 5, 6, 7), (2, 8, 9), (2, 3, 8))

def tensor_choices(name, shape, dtype, first):
    shapes = [shape] if first else [shape, (), shape[-1:]]
    if name in INDEX:
        return [T(s, i64) for s in shapes]
    if name in MASK:
        return [T(s, b8) for s in shapes]
    return [T(s, dtype) for s in shapes]

def int_choices(name, rank):
    if name in ("dim", "dim0", "axis", "start_dim", "d"):
        return [0, max(rank - 1, 0), -1]
    if name in ("dim1", "dim2", "end_dim"):
        return [1 if rank > 1 else 0]
    return {"n": [5], "steps": [5], "high": [7], "low": [0], "m": [4], "size": [4], "index": [0], "from": [0], "to": [9]}.get(
        name, [1, 2, 0])

def list_choices(name, count, shape):
    rank = len(shape)
    if name in ("size", "sizes", "self_sizes", "input_sizes", "input_size"):
        return [list(shape), [1] * rank + list(shape)]
    if name in ("dim", "dims", "axes"):
        return [[0], [rank - 1, 0] if rank > 1 else [0], list(range(rank))[::-1]]
    if name == "stride" and rank and count != rank - 2:
        return [[int(torch.empty(shape).stride(d)) for d in range(rank)], [1] * (count or rank)]
    spatial = count if isinstance(count, int) else max(rank - 2, 1)
    return {"kernel_size": [[2] * spatial], "stride": [[2] * spatial, [1] * spatial], "padding": [[1] * spatial, [0] * spatial],
            "dilation": [[1] * spatial], "output_size": [[4, 5, 6][:spatial]], "split_sizes": [[1, shape[0] - 1]],
            "output_padding": [[0] * spatial], "pad": [[1, 2]]}.get(name, [[1] * spatial, [0] * rank])

def choices(argument, shape, dtype, first):
    kind, name = str(argument.type), argument.name
    optional = kind.startswith("Optional[")
    if argument.has_default_value() and argument.default_value is not None and name not in ("dim", "kernel_size"):
        return [argument.default_value]
    inner = kind[9:-1] if optional else kind
    none = [None] if optional else []
    if inner == "Tensor":
        return tensor_choices(name, shape, dtype, first) + none
    if inner in ("List[Tensor]", "List[Optional[Tensor]]"):
        if name == "indices":
            return [[T((3,), i64)], [None, T((3,), i64)]]
        return [[T(shape, dtype), T(shape[::-1], dtype)], [T(shape, dtype)]]
    if inner in ("int", "SymInt"):
        return none + int_choices(name, len(shape))
    if inner in ("List[int]", "List[SymInt]"):
        return none + list_choices(name, getattr(argument, "N", None), shape)
    if inner in ("float", "number", "Scalar"):
        return none + [0.5, 2, True] if inner != "float" else none + [0.5]
    if inner == "bool":
        return [False, True]
    if inner == "List[bool]":
        return [[True] * 3, [True] * 2, [True] * 4]
    if inner in ("List[float]",):
        return none + [[0.5, 2.0]]
    if inner in ("List[number]", "List[Scalar]"):
        return [[0.5, 2.0], [2]]
    if inner == "str":
        return ["sum", "add", "none", "right", "floor"]
    if inner == "Device":
        return none or ["cpu"]
    if optional:
        return none
    raise Unsupported

def candidates(op):
    """Argument lists, most promising first: few choices apart from the shape and dtype."""
    needed = {a.name for a in op._schema.arguments if not a.has_default_value()}
    for dtype in (f32, i64, c64, b8, bf16, u8):
        for shape in SHAPES:
            options, names = [], []
            firsts = True
            for argument in op._schema.arguments:
                options.append(choices(argument, shape, dtype, firsts)[:3])
                firsts = firsts and "Tensor" not in str(argument.type)
                names.append(argument.name if argument.kwarg_only else None)
            for values in itertools.islice(itertools.product(*options), 12):
                args = [v for v, n in zip(values, names) if n is None]
                kwargs = {n: v for v, n in zip(values, names) if n is not None and (v is not None or n in needed)}
                yield args, kwargs

# --- calls of the functional form ------------------------------------------------------------------------------------

def decoded(value):
    if isinstance(value, list):
        return [decoded(v) for v in value]
    if not isinstance(value, dict):
        return value
    if "tensor" in value:
        d = value["tensor"]
        return T(d["shape"], getattr(torch, d["dtype"]), d["stride"], d.get("offset", 0))
    if "dtype" in value:
        return getattr(torch, value["dtype"])
    if "device" in value:
        return torch.device("cpu")
    if "layout" in value:
        return getattr(torch, value["layout"])
    if "memory_format" in value:
        return getattr(torch, value["memory_format"])
    if "float" in value:
        return float(value["float"])
    return complex(*value["complex"])

def key(schema):
    """The arguments without what is written to, and the results' count: what forms of one operator share."""
    return [(a.name, str(a.type)) for a in schema.arguments if not a.is_out]

def functional_forms(op):
    name = op._schema.name.split("::")[1]
    wanted = key(op._schema)
    for base in ([name] if any(a.is_out for a in op._schema.arguments) else [name.rstrip("_")]):
        packet = getattr(aten, base, None)
        for overload in packet.overloads() if packet else ():
            other = getattr(packet, overload)
            if other is not op and key(other._schema) == wanted and not any(a.is_out for a in other._schema.arguments):
                yield other
        packet = getattr(aten, name.rstrip("_") + "_functional", None)
        for overload in packet.overloads() if packet else ():
            yield getattr(packet, overload)

def from_functional(op, known):
    outs = [a for a in op._schema.arguments if a.is_out]
    for other in functional_forms(op):
        calls = known.get(str(other), [])
        names = {a.name for a in op._schema.arguments}
        for call in calls:
            args = decoded(call["args"])
            kwargs = {k: decoded(v) for k, v in call.get("kwargs", {}).items() if k in names}
            if outs:
                results = call["val"] if isinstance(call["val"], list) else [call["val"]]
                if len(outs) == 1 and str(outs[0].type) == "List[Tensor]":
                    results = [results]
                try:
                    kwargs.update({a.name: fresh(r) for a, r in zip(outs, results, strict=True)})
                except (ValueError, TypeError, KeyError):
                    continue
            yield args, kwargs

def fresh(result):
    if isinstance(result, list):
        return [fresh(r) for r in result]
    d = result["tensor"]
    return T(d["shape"], getattr(torch, d["dtype"]))

# --- recording -------------------------------------------------------------------------------------------------------

def answer(op, args, kwargs):
    """The record of a call, or why there is none."""
    args, kwargs = list(args), dict(kwargs)
    try:
        line = {"target": str(op), "device": "cpu", "args": enc(built(args))}
        if kwargs:
            line["kwargs"] = {k: enc(built(v)) for k, v in kwargs.items()}
    except (Unsupported, RuntimeError) as e:
        return None, f"{type(e).__name__} {str(e)[:100]}"
    try:
        real = op(*built(args), **{k: built(v) for k, v in kwargs.items()})
        real = enc(real)
    except Exception as e:
        return None, f"{type(e).__name__}: {str(e).splitlines()[0][:140] if str(e) else ''}"
    mode = FakeTensorMode()
    try:
        with mode:
            fargs, fkwargs = built(args), {k: built(v) for k, v in kwargs.items()}
        with enable_python_dispatcher(), mode:
            made = enc(op(*fargs, **fkwargs))
    except Exception as e:
        made = real
        line["eager"] = True
    line["val"] = made
    return json.dumps(line), None

def record(op, known):
    """Lines for one operator, and the commonest reasons for which calls failed."""
    name = str(op)[5:]
    reasons = collections.Counter()
    lines, seen = [], set()
    def take(calls, most):
        for args, kwargs in itertools.islice(calls, most):
            line, why = answer(op, args, kwargs)
            if line is None:
                reasons[why] += 1
            elif line not in seen:
                seen.add(line)
                lines.append(line)
    def spread(calls, most):
        calls = list(calls)
        return calls[::max(1, len(calls) // most)]
    take(by_hand.get(name, ()), CAP)
    take(spread(from_functional(op, known), 2 * CAP), 3 * CAP)
    if len(lines) < 2:
        try:
            for args, kwargs in itertools.islice(candidates(op), 250):
                take([(args, kwargs)], 1)
                if len(lines) >= CAP:
                    break
        except Unsupported:
            reasons["an argument that is no tensor, number, text or list of them"] += 1
    step = max(1, len(lines) // CAP)
    return lines[::step][:CAP], [f"{why} ({count})" for why, count in reasons.most_common(2)]

def in_child(op, known):
    """The same in a process of its own, because some operators end the process for arguments that do not fit."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        signal.setitimer(signal.ITIMER_PROF, 5)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 2)
        with os.fdopen(write, "w") as out:
            json.dump(record(op, known), out)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as out:
        text = out.read()
    os.waitpid(child, 0)
    try:
        return json.loads(text)
    except ValueError:
        return [], ["the process ended"]

def operators():
    for full in sorted(torch._C._dispatch_get_all_op_names()):
        name, _, overload = full.partition("::")[2].partition(".")
        if not full.startswith("aten::") or torch._C._dispatch_has_kernel_for_dispatch_key(full, "CompositeImplicitAutograd"):
            continue
        try:
            op = getattr(getattr(aten, name), overload or "default")
        except Exception:
            continue
        # Of these only the data tell, and fake tensors answer with symbols.
        if not {torch.Tag.dynamic_output_shape, torch.Tag.data_dependent_output} & set(op.tags):
            yield op

def main(out, files):
    torch.set_num_threads(1)
    # What the first fake call imports is then there in every child.
    for op in (aten.add.Tensor, aten.add.out, aten.index.Tensor):
        answer(op, [T((4,)), T((4,)) if op is not aten.index.Tensor else [T((2,), i64)]], {"out": T((4,))} if "out" in str(op) else {})
    known = collections.defaultdict(list)
    for file in files:
        for text in open(file):
            call = json.loads(text)
            if call["device"] == "cpu":
                known[call["target"]].append(call)
    reached = set(known)
    only = os.environ.get("ONLY")
    todo = [op for op in operators() if str(op) not in reached and (not only or re.search(only, str(op)))]
    # Functional operators first: the other forms repeat their calls.
    mutates = lambda op: any(a.alias_info for a in op._schema.arguments)
    lines, left = [], []
    for index, op in enumerate(sorted(todo, key=lambda op: (mutates(op), str(op)))):
        if index % 100 == 0:
            print(index, len(todo), op, file=sys.stderr, flush=True)
        made, reasons = in_child(op, known)
        for line in made:
            known[str(op)].append(json.loads(line))
            lines.append(line)
        if not made:
            left.append(f"{op}\t{'mutating' if mutates(op) else 'functional'}\t{'; '.join(reasons)}")
    with open(out, "w") as file:
        file.writelines(line + "\n" for line in sorted(lines))
    with open(out + ".left", "w") as file:
        file.writelines(line + "\n" for line in left)
    print(len(todo), "operators without a call,", len(left), "left,", len(lines), "calls", file=sys.stderr)

if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
