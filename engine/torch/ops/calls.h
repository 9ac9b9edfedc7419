#pragma once

#include "ops/graph_state.h"
#include "ops/overloads.h"
#include "ops/value.h"

#include <span>
#include <string>
#include <string_view>

/// Calls as Python code makes them, down to the dispatcher.
namespace aotscope::torch::ops {

/// Whoever carries out calls: finds what a name means, chooses overloads and calls the dispatcher. Works on
/// any at::Tensor: nothing but dispatcher calls and metadata is used, and no data is read unless the call
/// asks for a number of a tensor. One per thread and run.
class Calls {
public:
    /// torch.NAME(args…), by ATen's name ("add", "fft_rfft"), through the binding's overloads.
    Value torch(std::string_view name, Values args, const Keywords& kwargs = {});
    /// args[0].NAME(args[1]…) as Python has it: tensor methods written in Python and in C++.
    Value method(std::string_view name, Values args, const Keywords& kwargs = {});
    /// torch.ops.TARGET(args…): "aten.addmm.default"; without overload, the overload is chosen as
    /// torch.ops does, the first schema that fits.
    Value op(std::string_view target, Values args, const Keywords& kwargs = {});
    /// An FX call_function target: any of the above, Python's operators, and the functions of torch that are
    /// Python code. Throws RunFailure: ops.unknown_function, ops.no_overload, ops.type….
    Value function(std::string_view target, Values args, const Keywords& kwargs = {});
    /// A Tensor attribute that is no method (getattr).
    Value attribute(const Value& object, std::string_view name);

    /// Whether `function` knows the target, and `method` the name.
    [[nodiscard]] bool knowsFunction(std::string_view target);
    [[nodiscard]] bool knowsMethod(std::string_view name);
    /// Whether tensors have an attribute of that name (`shape`, `T`).
    [[nodiscard]] static bool knowsAttribute(std::string_view name);
    /// Whether a known function, or a method written "Tensor.NAME", is a generated binding's, without code
    /// here.
    [[nodiscard]] bool isBinding(std::string_view name);

    /// The state that calls of the graph set: grad mode, autocast, functorch levels.
    [[nodiscard]] GraphState& state() { return m_state; }

private:
    Value dispatch(ResolvedCall call, bool listsAsTuples);

    Bindings m_bindings;
    GraphState m_state;
};

/// The arguments of a function written in Python, bound to its parameters.
class Bound {
public:
    Bound(std::span<const std::string> names, Values values, Keywords extra)
        : m_names(names), m_values(std::move(values)), m_extra(std::move(extra)) {}

    /// The value of a parameter; the name is one of the function's own.
    [[nodiscard]] const Value& operator[](std::string_view name) const;
    [[nodiscard]] bool flag(std::string_view name) const { return (*this)[name].truth(); }
    [[nodiscard]] const at::Tensor& tensor(std::string_view name) const { return (*this)[name].tensor(); }
    /// What `**kwargs` took.
    [[nodiscard]] const Keywords& extra() const { return m_extra; }
    /// Every keyword argument of `extra` and the parameter named, for handing on.
    [[nodiscard]] Keywords with(std::initializer_list<std::string_view> names) const;

private:
    std::span<const std::string> m_names;
    Values m_values;
    Keywords m_extra;
};

/// A function of PyTorch's Python code, written here as the calls it makes.
struct PythonFunction {
    /// "torch.nn.functional.dropout", "Tensor.split"
    std::string_view name;
    /// Python's parameter list: "input, p=0.5, training=True, inplace=False"; `*` begins the keyword-only
    /// ones, `*name` takes the rest of the positional ones, `**` all other keywords.
    std::string_view parameters;
    Value (*body)(Calls& call, const Bound& args);
};

/// Binds and calls. Throws RunFailure (ops.arguments).
[[nodiscard]] Value callPython(const PythonFunction& function, Calls& calls, Values args,
                               const Keywords& kwargs);

/// The function of that name; null when it is not written here.
[[nodiscard]] const PythonFunction* findPythonFunction(std::string_view name);
/// All of them, for the coverage table.
[[nodiscard]] std::vector<const PythonFunction*> allPythonFunctions();

} // namespace aotscope::torch::ops
