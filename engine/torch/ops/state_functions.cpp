#include "ops/functional.h"
#include "ops/python_operators.h"

#include "base/mapped.h"
#include "dispatch/failure.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <c10/core/GradMode.h>

#include <array>

/// Functions of torch that set or read the thread's state.
namespace aotscope::torch::ops {

namespace {

Value nothing(Calls& /*call*/, const Bound& /*args*/) {
    return {};
}

Value setGradEnabled(Calls& call, const Bound& args) {
    call.state().setGradEnabled(args.flag("mode"));
    return {};
}

Value enterAutocast(Calls& call, const Bound& args) {
    const c10::DeviceType device = c10::Device(args["device_type"].string()).type();
    const Value& dtype = args["dtype"];
    const Value& cache = args["cache_enabled"];
    bool enabled = args.flag("enabled");
    // PyTorch disables autocast for an unsupported dtype (CUDA checks later).
    if (enabled && !dtype.isNone() && device != c10::kCUDA) {
        enabled = dtype.dtype() == c10::kBFloat16 || dtype.dtype() == c10::kHalf;
    }
    call.state().enterAutocast(device, dtype.isNone() ? std::nullopt : std::optional(dtype.dtype()), enabled,
                               cache.isNone() ? std::nullopt : std::optional(cache.truth()));
    return Object{"torch.autocast", nullptr};
}

/// The body of a function that leaves a region of the thread's state.
template<void (GraphState::*Exit)()>
Value leave(Calls& call, const Bound& /*args*/) {
    (call.state().*Exit)();
    return {};
}

Value enterInference(Calls& call, const Bound& args) {
    call.state().enterInference(args.flag("mode"));
    return Object{"torch.inference_mode", nullptr};
}

Value check(Calls& /*call*/, const Bound& args) {
    const Value& condition = args["cond"];
    const auto* symbolic = condition.as<c10::SymBool>();
    const bool holds = symbolic != nullptr ? symbolic->expect_true(__FILE__, __LINE__) : condition.truth();
    if (!holds) {
        fail("ops.check_failed", "A torch._check of the graph does not hold.");
    }
    return {};
}

Value checkIsSize(Calls& /*call*/, const Bound& args) {
    if (!args["i"].symInt().sym_ge(0).expect_true(__FILE__, __LINE__)) {
        fail("ops.check_failed", "A torch._check_is_size of the graph does not hold.");
    }
    return {};
}

/// The body of a function of the CPU's generator, which is locked meanwhile.
template<Value (*Body)(at::Generator&, const Bound&)>
Value onGenerator(Calls& /*call*/, const Bound& args) {
    at::Generator generator = at::detail::getDefaultCPUGenerator();
    const std::scoped_lock lock(generator.mutex());
    return Body(generator, args);
}

/// `sdpa_kernel(backends)`; the priority among the backends matters only on CUDA.
Value allowAttention(Calls& call, const Bound& args) {
    call.state().allowAttention(base::mapped(args["backends"].items(), &Value::string));
    return {};
}

/// Undoes the version bump of assigning `data`: autograd would report it as an in-place change of a saved
/// tensor.
Value lowerVersion(Calls& /*call*/, const Bound& args) {
    c10::VariableVersion counter = args.tensor("x").unsafeGetTensorImpl()->version_counter();
    if (const std::uint32_t version = counter.current_version(); version > 0) {
        counter.set_version(static_cast<std::int64_t>(version) - 1);
    }
    return args["x"];
}

Value incrementVersion(Calls& /*call*/, const Bound& args) {
    forEachTensor(args["tensor"],
                  [](const at::Tensor& tensor) { tensor.unsafeGetTensorImpl()->bump_version(); });
    return {};
}

/// The value of a condition where it is statically known, else `otherwise`; adds no guard.
Value guardOr(const Value& condition, bool otherwise) {
    const auto* symbolic = condition.as<c10::SymBool>();
    if (symbolic == nullptr) {
        return condition.truth();
    }
    return otherwise ? symbolic->guard_or_true(__FILE__, __LINE__)
                     : symbolic->guard_or_false(__FILE__, __LINE__);
}

Value staticallyKnown(const Value& condition, bool wanted) {
    const auto* symbolic = condition.as<c10::SymBool>();
    if (symbolic == nullptr) {
        return condition.truth() == wanted;
    }
    const c10::SymNode node = symbolic->toSymNodeImpl();
    return (wanted ? node : node->sym_not())->statically_known_true(__FILE__, __LINE__);
}

Value guardScalar(Calls& /*call*/, const Bound& args) {
    const Value& value = args["a"];
    return value.isBool()  ? Value(value.truth())
           : value.isInt() ? Value(value.integer())
                           : Value(value.real());
}

/// sym_and and sym_or over any number of conditions.
Value combine(Calls& call, const Bound& args, std::string_view op) {
    const auto items = args["conditions"].items();
    if (items.empty()) {
        return op == "and_";
    }
    Value result = items[0];
    for (const Value& item : items.subspan(1)) {
        result = callPythonOperator(call, op, {result, item});
    }
    return result;
}

Value reductionEnum(Calls& /*call*/, const Bound& args) {
    const std::string& name = args["reduction"].string();
    return name == "none" ? 0 : name == "sum" ? 2 : 1;
}

const PythonFunction stateFunctionsTable[] = {
    {"torch._C._log_api_usage_once", "text", nothing},
    {"torch._C._log_api_usage_metadata", "text, data=None", nothing},
    {"torch._C._set_grad_enabled torch.set_grad_enabled torch.autograd.grad_mode.set_grad_enabled", "mode",
     setGradEnabled},
    {"torch.is_grad_enabled torch._C.is_grad_enabled", "",
     [](Calls&, const Bound&) -> Value { return c10::GradMode::is_enabled(); }},
    {"torch.amp.autocast_mode._enter_autocast", "device_type, dtype=None, enabled=True, cache_enabled=None",
     enterAutocast},
    {"torch.amp.autocast_mode._exit_autocast", "mode", leave<&GraphState::exitAutocast>},
    {"torch.autograd.grad_mode._enter_inference_mode", "mode", enterInference},
    {"torch.autograd.grad_mode._exit_inference_mode", "mode", leave<&GraphState::exitInference>},
    {"torch._check _check_value _check_index _check_type _check_not_implemented _assert",
     "cond, message=None", check},
    {"torch._check_with", "error_type, cond, message=None", check},
    {"torch._check_is_size", "i, message=None, *, max=None", checkIsSize},
    {"torch.manual_seed torch.random.manual_seed", "seed",
     onGenerator<[](at::Generator& generator, const Bound& args) -> Value {
         generator.set_current_seed(static_cast<std::uint64_t>(args["seed"].integer()));
         return Object{"torch.Generator", nullptr};
     }>},
    {"torch.seed torch.random.seed", "",
     onGenerator<[](at::Generator& generator, const Bound& /*args*/) -> Value {
         return static_cast<std::int64_t>(generator.seed());
     }>},
    {"torch.get_rng_state torch.random.get_rng_state", "",
     onGenerator<[](at::Generator& generator, const Bound& /*args*/) -> Value {
         return generator.get_state();
     }>},
    {"torch.set_rng_state torch.random.set_rng_state", "new_state",
     onGenerator<[](at::Generator& generator, const Bound& args) -> Value {
         generator.set_state(args.tensor("new_state"));
         return {};
     }>},
    {"torch.autograd.graph.increment_version", "tensor", incrementVersion},
    // `tensor.data`: the same memory without autograd history.
    {"torch._C._autograd._get_data_attr", "tensor",
     [](Calls& /*c*/, const Bound& a) -> Value { return a.tensor("tensor").detach(); }},
    // `x.data = y`: x takes the memory, sizes and strides of y.
    {"torch_Tensor_set_", "tensor, source", callsMethod<"set_", "tensor", "source">},
    {"torch__dynamo_variables_builtin__lower_version_count_by_1", "x", lowerVersion},
    {"torch.nn.attention._backend_from_string", "name",
     [](Calls& /*c*/, const Bound& a) { return a["name"]; }},
    {"torch.nn.attention._sdpa_kernel", "backends, set_priority=False", allowAttention},
    {"torch.fx.experimental.symbolic_shapes.guard_or_false guard_or_true", "a",
     [](Calls& /*c*/, const Bound& a) { return guardOr(a["a"], a.ownName() == "guard_or_true"); }},
    {"torch.fx.experimental.symbolic_shapes.guard_scalar guard_size_oblivious", "a", guardScalar},
    {"torch.fx.experimental.symbolic_shapes.statically_known_true statically_known_false", "x",
     [](Calls& /*c*/, const Bound& a) {
         return staticallyKnown(a["x"], a.ownName() == "statically_known_true");
     }},
    {"torch.fx.experimental.symbolic_shapes.sym_and", "*conditions", sharing<combine, "and_">},
    {"torch.fx.experimental.symbolic_shapes.sym_or", "*conditions", sharing<combine, "or_">},
    {"torch.sym_fresh_size", "expr", [](Calls& /*c*/, const Bound& a) { return a["expr"]; }},
    {"torch.nn._reduction.get_enum", "reduction", reductionEnum},
    {"torch.are_deterministic_algorithms_enabled", "",
     [](Calls& /*c*/, const Bound& /*a*/) { return Value(at::globalContext().deterministicAlgorithms()); }},
    {"torch._functorch.predispatch.lazy_load_decompositions torch._functorch.vmap.lazy_load_decompositions "
     "torch.autograd.forward_ad._maybe_load_decompositions torch._C._autograd._saved_tensors_hooks_enable",
     "", nothing},
    {"torch._C._autograd._saved_tensors_hooks_disable", "message", nothing},
};

} // namespace

constinit const FunctionFamily stateFunctions = stateFunctionsTable;

} // namespace aotscope::torch::ops
