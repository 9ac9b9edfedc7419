#include "ops/calls.h"

#include "base/mapped.h"
#include "dispatch/failure.h"
#include "dispatch/operators.h"
#include "ops/compiled_autograd.h"
#include "ops/numpy_arrays.h"
#include "ops/python_operators.h"

#include <algorithm>
#include <utility>

namespace aotscope::torch::ops {

namespace {

/// Modules whose functions are ATen's under a prefix: torch.fft.rfft is aten::fft_rfft.
constexpr std::pair<std::string_view, std::string_view> prefixedModules[] = {
    {"torch._C._nn.", ""},
    {"torch._C._VariableFunctions.", ""},
    {"torch._C._VariableFunctionsClass.", ""},
    {"torch._VF.", ""},
    {"torch._C._fft.", ""},
    {"torch._C._linalg.", ""},
    {"torch._C._special.", ""},
    {"torch._C._sparse.", ""},
    {"torch._C._nested.", ""},
    {"torch.fft.", "fft_"},
    {"torch.linalg.", "linalg_"},
    {"torch.special.", "special_"},
    {"torch.nn.functional.", ""},
    {"torch.functional.", ""},
    {"torch.nn.init.", ""},
    {"torch.", ""},
};

/// The ATen name of a function of one of torch's modules; empty for other targets.
std::string atenName(std::string_view target) {
    for (const auto& [module, prefix] : prefixedModules) {
        if (target.starts_with(module)) {
            const std::string_view name = target.substr(module.size());
            if (name.find('.') == std::string_view::npos) {
                return std::string(prefix) + std::string(name);
            }
        }
    }
    return {};
}

/// Classes whose methods FX may print as functions: torch.Tensor.add(x, y), in its code torch_Tensor_add(x,
/// y).
std::optional<std::string_view> methodOf(std::string_view target) {
    for (const std::string_view type : {"torch.Tensor.", "torch._C.TensorBase.", "torch._C._TensorBase.",
                                        "torch._tensor.Tensor.", "torch_Tensor_"}) {
        if (target.starts_with(type) && target.find('.', type.size()) == std::string_view::npos) {
            return target.substr(type.size());
        }
    }
    return std::nullopt;
}

/// The same function under its other name: torch.einsum is torch.functional.einsum, F.pad torch._C._nn.pad.
const PythonFunction* findUnderAnyName(std::string_view target) {
    if (const PythonFunction* function = findPythonFunction(target)) {
        return function;
    }
    if (const PythonFunction* function = numpy::findFunction(target)) {
        return function;
    }
    const std::string name = atenName(target);
    if (name.empty()) {
        return nullptr;
    }
    const bool ofTorch = target.find('.') == target.rfind('.') || target.starts_with("torch._C._Var") ||
                         target.starts_with("torch._VF.");
    if (ofTorch) {
        if (const PythonFunction* function = findPythonFunction("torch." + name)) {
            return function;
        }
    }
    if (ofTorch || target.starts_with("torch.functional.")) {
        return findPythonFunction((ofTorch ? "torch.functional." : "torch.") + name);
    }
    return nullptr;
}

std::optional<ResolvedCall> tryMatchOperator(const c10::OperatorHandle& op, std::span<const Value> args,
                                             const Keywords& kwargs) {
    try {
        return matchOperator(op, args, kwargs);
    } catch (const RunFailure&) {
        return std::nullopt;
    }
}

Value namedFields(const c10::FunctionSchema& schema, Value result) {
    const auto* tuple = result.as<Tuple>();
    if (tuple == nullptr || schema.returns().size() < 2) {
        return result;
    }
    auto fields = base::mapped(schema.returns(), [](const c10::Argument& field) { return field.name(); });
    return Value::tuple(tuple->data->items, std::move(fields), schema.name());
}

} // namespace

Value Calls::dispatch(ResolvedCall call, bool listsAsTuples) {
    c10::Stack stack = std::move(call.stack);
    call.op.callBoxed(stack);
    if (stack.empty()) {
        return {};
    }
    if (stack.size() > 1) {
        return namedFields(call.op.schema(),
                           fromIValue(c10::ivalue::Tuple::create(std::move(stack)), listsAsTuples));
    }
    Value result = fromIValue(stack.front(), listsAsTuples);
    if (call.requiresGrad && result.isTensor()) {
        result.tensor().set_requires_grad(true);
    }
    return result;
}

Value Calls::torch(std::string_view name, Values args, const Keywords& kwargs) {
    const Binding* binding = findBinding(name, BindingKind::Function);
    if (binding == nullptr) {
        fail("ops.unknown_function", "LibTorch has no function " + std::string(name) + ".");
    }
    return dispatch(resolve(*binding, args, kwargs), true);
}

Value Calls::method(std::string_view name, Values args, const Keywords& kwargs) {
    if (args.empty()) {
        fail("ops.arguments", "The method " + std::string(name) + " is called without an object.");
    }
    if (!args.front().isTensor()) {
        return methodOfOther(*this, name, std::move(args), kwargs);
    }
    if (const PythonFunction* function = findPythonFunction("Tensor." + std::string(name))) {
        return callPython(*function, *this, std::move(args), kwargs);
    }
    if (const auto result = tensorOperatorMethod(*this, name, args)) {
        return *result;
    }
    const Binding* binding = findBinding(name, BindingKind::Method);
    if (binding == nullptr) {
        fail("ops.unknown_function", "A tensor has no method " + std::string(name) + ".",
             "The log may be of another version of PyTorch than this program's LibTorch.");
    }
    return dispatch(resolve(*binding, args, kwargs), true);
}

Value Calls::op(std::string_view target, Values args, const Keywords& kwargs) {
    constexpr std::string_view aten = "aten.";
    if (target.starts_with(aten) && target.find('.', aten.size()) == std::string_view::npos) {
        // Without an overload: the first whose schema fits.
        const auto found = atenOperators().find(std::string(target.substr(aten.size())));
        if (found != atenOperators().end()) {
            for (const c10::OperatorHandle& candidate : found->second) {
                if (auto call = tryMatchOperator(candidate, args, kwargs)) {
                    return dispatch(*std::move(call), false);
                }
            }
        }
    } else if (const auto op = findOperator(target)) {
        return dispatch(matchOperator(*op, args, kwargs), false);
    }
    fail("ops.unknown_function",
         "LibTorch has no operator " + std::string(target) + " for " + argumentTypes(args, kwargs) + ".");
}

Value Calls::function(std::string_view target, Values args, const Keywords& kwargs) {
    if (const auto name = pythonOperatorName(target); name && kwargs.empty() && knowsPythonOperator(*name)) {
        return callPythonOperator(*this, *name, std::move(args));
    }
    if (target == "getattr" || target == "builtins.getattr") {
        if (args.size() < 2) {
            fail("ops.arguments", "getattr needs an object and a name.");
        }
        return attribute(args[0], args[1].string());
    }
    if (const PythonFunction* function = findUnderAnyName(target)) {
        return callPython(*function, *this, std::move(args), kwargs);
    }
    if (const auto name = methodOf(target)) {
        return method(*name, std::move(args), kwargs);
    }
    if (const auto node = autogradNodeOf(target); node && kwargs.empty()) {
        return callAutogradNode(*node, args);
    }
    if (target.starts_with("torch.ops.")) {
        return op(target.substr(10), std::move(args), kwargs);
    }
    if (const std::string name = atenName(target); !name.empty()) {
        if (findBinding(name, BindingKind::Function) != nullptr) {
            return torch(name, std::move(args), kwargs);
        }
    } else if (!target.starts_with("torch.") && target.find('.') != std::string_view::npos) {
        return op(target, std::move(args), kwargs);
    }
    fail("ops.unknown_function",
         "The graph calls the Python function " + std::string(target) + argumentTypes(args, kwargs) +
             ", which this program does not know.",
         "`aotscope-cli coverage` lists the functions that are known.");
}

bool Calls::knowsFunction(std::string_view target) {
    const auto ofPython = pythonOperatorName(target);
    if ((ofPython && knowsPythonOperator(*ofPython)) || target == "getattr" ||
        findUnderAnyName(target) != nullptr) {
        return true;
    }
    if (const auto name = methodOf(target)) {
        return knowsMethod(*name);
    }
    if (const auto node = autogradNodeOf(target)) {
        return knowsAutogradNode(*node);
    }
    const std::string name = atenName(target);
    return name.empty() ? findOperator(target).has_value()
                        : findBinding(name, BindingKind::Function) != nullptr;
}

bool Calls::knowsMethod(std::string_view name) {
    return findPythonFunction("Tensor." + std::string(name)) != nullptr || isTensorOperatorMethod(name) ||
           findBinding(name, BindingKind::Method) != nullptr;
}

bool Calls::isBinding(std::string_view name) {
    constexpr std::string_view method = "Tensor.";
    if (name.starts_with(method)) {
        const std::string_view plain = name.substr(method.size());
        return findPythonFunction(name) == nullptr && !isTensorOperatorMethod(plain) &&
               findBinding(plain, BindingKind::Method) != nullptr;
    }
    const std::string aten = atenName(name);
    return !pythonOperatorName(name) && findUnderAnyName(name) == nullptr && !aten.empty() &&
           findBinding(aten, BindingKind::Function) != nullptr;
}

} // namespace aotscope::torch::ops
