"""AOTAutograd's own records of a compile (ViewAndMutationMeta, SubclassMeta, the wrappers' state), as the corpus writes them."""

import dataclasses
import enum
import functools
import inspect

import torch
from torch._functorch._aot_autograd import graph_compile

DERIVED = ("mutated_inp_runtime_indices", "mutated_graph_handled_indices", "aliased_out_indices", "unsafe_view_out_indices")
DERIVED += ("num_outputs", "num_outputs_non_aliased", "num_outputs_aliased_to_inputs", "num_unsafe_view_outputs")
DERIVED += ("num_outputs_aliased_to_intermediates", "num_outputs_aliased", "num_mutated_inp_runtime_indices", "output_types")
DERIVED += ("is_rng_op_functionalized", "num_outputs_rng_offset", "num_forward_returns", "num_forward")
WRAPPERS = ("AOTDedupeWrapper", "AOTSyntheticBaseWrapper")


def number(value):
    node = value.node
    if node.is_nested_int():
        return {"symint": str(value), "hint": None}
    return {"symint": str(node.expr)} | ({"hint": node.hint} if node.hint is not None else {})


def tensor(value):
    row = {"kind": "tensor", "dtype": str(value.dtype).removeprefix("torch.")}
    row |= {"shape": encode(list(value.shape)), "stride": encode(list(value.stride()))}
    row["storage_offset"] = encode(value.storage_offset())
    row |= {"device": str(value.device), "requires_grad": value.requires_grad}
    if hasattr(value, "__tensor_flatten__"):
        row |= {"subclass": type(value).__name__, "inner": {x: tensor(getattr(value, x)) for x in value.__tensor_flatten__()[0]}}
    return row


def fields(value):
    row = {"_class": type(value).__name__} | {x.name: encode(getattr(value, x.name)) for x in dataclasses.fields(value)}
    if hasattr(value, "mutation_type"):
        row["mutation_type"] = value.mutation_type.name
    return row


def encode(value):
    if isinstance(value, enum.Enum):
        return {"enum": str(value)}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, torch.SymInt):
        return number(value)
    if isinstance(value, torch.Tensor):
        return tensor(value)
    if hasattr(value, "as_tuple"):
        return {"_class": type(value).__name__, "as_tuple": encode(value.as_tuple())}
    if type(value).__name__ == "ViewMetaSequence":
        return {"_class": "ViewMetaSequence", "sequence": encode(value.sequence)}
    if isinstance(value, type):
        return {"type": value.__name__}
    if dataclasses.is_dataclass(value):
        return fields(value)
    if isinstance(value, dict):
        return {key.name if isinstance(key, enum.Enum) else str(key): encode(x) for key, x in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(encode(x) for x in value)
    if isinstance(value, (list, tuple)):
        return [encode(x) for x in value]
    return str(value) if isinstance(value, (torch.memory_format, torch.dtype, torch.device)) else {"repr": repr(value)[:80]}


def metadata(value):
    return fields(value) | {f"derived.{x}": encode(getattr(value, x)) for x in DERIVED if hasattr(value, x)}


class Watch:
    """Sees what AOTAutograd hands from stage to stage while one graph is compiled."""

    def __init__(self):
        self.wrappers, self.autograd_told = [], {}

    def __enter__(self):
        self.dispatch = graph_compile._create_wrappers_for_dispatch
        self.autograd = graph_compile._aot_stage2c_make_autograd_function
        signature = inspect.signature(self.autograd)

        @functools.wraps(self.dispatch)
        def dispatch(*args, **options):
            self.wrappers = self.dispatch(*args, **options)
            return self.wrappers

        @functools.wraps(self.autograd)
        def autograd(*args, **options):
            given = signature.bind(*args, **options).arguments
            self.autograd_told = {"indices_of_inps_to_detach": list(given["_indices_of_inps_to_detach"])}
            if given["maybe_subclass_meta"] is not None:
                inputs = given["maybe_subclass_meta"].grad_input_metas
                self.autograd_told |= {"subclass_meta": {"grad_input_metas": encode(inputs)}, "fw_metadata": metadata(given["fw_metadata"])}
            return self.autograd(*args, **options)

        graph_compile._create_wrappers_for_dispatch = dispatch
        graph_compile._aot_stage2c_make_autograd_function = autograd
        return self

    def __exit__(self, *failure):
        graph_compile._create_wrappers_for_dispatch = self.dispatch
        graph_compile._aot_stage2c_make_autograd_function = self.autograd

    def state(self):
        """What each wrapper decided before the compile."""
        named = {type(x).__name__: x for x in self.wrappers}
        return {name: encode(vars(x)) for name, x in named.items() if name in WRAPPERS}
