#include "ir/operators/operator_table.h"

/// Python's functions and methods, and what is called for what it does besides its results.
namespace aotscope::ir::detail {

void addPython(OperatorTable& table) {
    using enum Trait;
    table.add({"_operator.getitem"}, Recomputable | MovesValues | Reshapes, {.overloads = ""});
    table.add({"_operator.pos", "_operator.abs", "_operator.add", "_operator.and_", "_operator.eq",
               "_operator.floordiv", "_operator.ge", "_operator.gt", "_operator.le", "_operator.lshift",
               "_operator.lt", "_operator.mod"},
              Recomputable);
    table.add({"_operator.mul", "_operator.ne", "_operator.neg", "_operator.or_", "_operator.pow",
               "_operator.rshift", "_operator.sub", "_operator.truediv", "_operator.xor", "math.ceil",
               "math.floor", "math.trunc"},
              Recomputable);
    table.add({"builtins.round", "round", "torch.sym_float", "torch.sym_ite", "torch.sym_max",
               "torch.sym_min", "torch.sym_not", "torch._sym_sqrt", "torch._sym_cos", "torch._sym_cosh",
               "torch._sym_sin", "torch._sym_sinh", "torch._sym_tan", "torch._sym_tanh", "torch._sym_asin",
               "torch._sym_acos", "torch._sym_atan", "torch._sym_log2"},
              Recomputable);
    table.add({"_operator.setitem", "torch._assert", "torch._assert_async"}, Effect, {.overloads = ""});
    table.add({"type", "long", "int", "short", "float", "double", "half"}, MovesValues);
    table.add({"data", "grad", "new_tensor", "tolist", "size", "stride", "shape", "dim", "numel",
               "requires_grad_", "is_floating_point", "dtype", "device", "requires_grad"},
              WithoutGradient);
    table.add({"resize_", "resize_as_", "new", "Tensor", "FloatTensor"}, LeavesUnwritten);
    table.add({"aten._assert_async"}, AsyncAssertion | WithoutGradient | Effect, {.overloads = "msg"});
    table.add({"aten._assert_scalar"}, Effect | NeverSaved | AssertsScalar);
    table.add({"aten._assert_tensor_metadata", "aten.sym_constrain_range",
               "aten.sym_constrain_range_for_size", "inductor.accumulate_grad_",
               "inductor.resize_storage_bytes_", "prims._sink_tokens", "_c10d_functional.isend",
               "_c10d_functional.irecv", "_c10d_functional.batch_p2p_ops", "mempool.begin", "mempool.end",
               "streams.fork"},
              Effect);
    table.add({"streams.join", "streams.record_event", "streams.wait_event", "streams.wait_stream",
               "streams.sync_dealloc", "streams.synchronize_device", "streams.synchronize_event",
               "streams.synchronize_stream"},
              Effect);
    table.add({"aten._print"}, OrderedEffect | Effect);
    table.add({"profiler._record_function_enter", "profiler._record_function_enter_new"},
              Effect | NeverSaved);
    table.add({"profiler._record_function_exit"}, Effect | NeverSaved,
              {.overloads = "_RecordFunction default"});
    table.add({"fsdp.copy_"}, Effect | AssignsInput);
    table.add({"_c10d_functional.wait_tensor", "_c10d_functional.wait_tensors"}, Effect | WaitsForTensor);
    table.add({"torch._C"}, Effect, {.overloads = "_set_grad_enabled"});
    table.add({"torch.amp"}, Effect, {.overloads = "_enter_autocast _exit_autocast"});
    table.add({"streams.record_stream"}, LaterEffect);
}

} // namespace aotscope::ir::detail
