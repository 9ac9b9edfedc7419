#pragma once

#include "ops/graph_state.h"
#include "ops/overloads.h"
#include "ops/value.h"

#include "aot/versions/trace_rules.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

/// Calls as Python code makes them, from a name down to the dispatcher.
namespace aotscope::torch::ops {

/// Resolves a name, chooses the overload and calls the dispatcher. Works on real and traced tensors alike: it
/// uses only dispatcher calls and metadata, and reads data only when the call itself does (`item`). One
/// object per thread and run. Functions throw RunFailure.
class Calls {
public:
    explicit Calls(const aot::TraceRules& rules) : m_rules(rules) {}

    /// torch.NAME(args…), by ATen's name ("add", "fft_rfft"), through the binding's overloads.
    Value torch(std::string_view name, Values args, const Keywords& kwargs = {});
    /// args[0].NAME(args[1]…): tensor methods written in Python and in C++.
    Value method(std::string_view name, Values args, const Keywords& kwargs = {});
    /// torch.ops.TARGET(args…): "aten.addmm.default". Without an overload, the first schema that fits is
    /// called. Follows torch 2.11, torch/_ops.py: OpOverloadPacket.
    Value op(std::string_view target, Values args, const Keywords& kwargs = {});
    /// An FX call_function target: any of the above, a Python operator, or a function that PyTorch implements
    /// in Python. Throws RunFailure: ops.unknown_function, ops.no_overload, ops.type….
    Value function(std::string_view target, Values args, const Keywords& kwargs = {});
    /// An attribute of a tensor that is not a method (getattr).
    Value attribute(const Value& object, std::string_view name);

    /// Whether `function` knows the target, and `method` the name.
    [[nodiscard]] static bool knowsFunction(std::string_view target);
    [[nodiscard]] static bool knowsMethod(std::string_view name);
    /// Whether tensors have an attribute of that name (`shape`, `T`).
    [[nodiscard]] static bool knowsAttribute(std::string_view name);
    /// Whether a known function, or a method written "Tensor.NAME", is called through a generated binding and
    /// has no code here.
    [[nodiscard]] static bool isBinding(std::string_view name);

    /// The thread state that calls of the graph set: grad mode, autocast, functorch levels.
    [[nodiscard]] GraphState& state() { return m_state; }
    /// Those of the release whose functions are called.
    [[nodiscard]] const aot::TraceRules& rules() const { return m_rules; }

private:
    Value dispatch(ResolvedCall call, bool listsAsTuples);

    aot::TraceRules m_rules;
    GraphState m_state;
};

/// The arguments of a function written in Python, bound to its parameters.
class Bound {
public:
    Bound(std::string_view function, std::span<const std::string> names, Values values, Keywords extra)
        : m_function(function), m_names(names), m_values(std::move(values)), m_extra(std::move(extra)) {}

    /// The function's name without the module ("dropout"), for bodies that several functions share.
    [[nodiscard]] std::string_view ownName() const { return m_function.substr(m_function.rfind('.') + 1); }
    /// The value of a parameter. The name must be a parameter of the function.
    [[nodiscard]] const Value& operator[](std::string_view name) const;
    [[nodiscard]] bool flag(std::string_view name) const { return (*this)[name].truth(); }
    [[nodiscard]] const at::Tensor& tensor(std::string_view name) const { return (*this)[name].tensor(); }
    /// The keyword arguments that `**kwargs` collected.
    [[nodiscard]] const Keywords& extra() const { return m_extra; }
    /// The keyword arguments of `extra` and the named parameters, to pass on to another call.
    [[nodiscard]] Keywords with(std::initializer_list<std::string_view> names) const;
    /// All parameters but the first, by keyword.
    [[nodiscard]] Keywords afterFirst() const;

private:
    std::string_view m_function;
    std::span<const std::string> m_names;
    Values m_values;
    Keywords m_extra;
};

/// A function that PyTorch implements in Python, written here as the calls it makes.
struct PythonFunction {
    /// "torch.nn.functional.dropout", "Tensor.split". In the tables, all names of functions with these
    /// parameters and this body, separated by blanks; those without a module are in that of the first.
    std::string_view name;
    /// Python's parameter list: "input, p=0.5, training=True, inplace=False". `*` begins the keyword-only
    /// parameters, `*name` collects the remaining positional arguments, `**` the remaining keyword arguments.
    std::string_view parameters;
    Value (*body)(Calls& call, const Bound& args);
};

/// The row of that name; null if the table has none.
template<typename Table>
[[nodiscard]] const auto* findNamed(const Table& table, std::string_view name) {
    const auto found = std::ranges::find_if(table, [&](const auto& row) { return row.name == name; });
    return found == std::end(table) ? nullptr : &*found;
}

/// A text as a template argument.
template<std::size_t Size>
struct FixedText {
    // NOLINTNEXTLINE: converts, as literals do
    consteval FixedText(const char (&text)[Size]) { std::copy_n(text, Size, characters.begin()); }
    [[nodiscard]] constexpr std::string_view view() const { return {characters.data(), Size - 1}; }
    std::array<char, Size> characters{};
};

/// The body of a function that shares its code with others; what tells it apart follows.
template<auto Shared, FixedText Text, auto... More>
Value sharing(Calls& call, const Bound& args) {
    return Shared(call, args, Text.view(), More...);
}
template<auto Shared, auto... Constants>
Value sharing(Calls& call, const Bound& args) {
    return Shared(call, args, Constants...);
}

/// The same; it gets the function's own name.
template<auto Shared, auto... Constants>
Value byOwnName(Calls& call, const Bound& args) {
    return Shared(call, args, args.ownName(), Constants...);
}

/// In place of OP below: the function's own name.
inline constexpr FixedText sameName = "";
template<FixedText Op>
[[nodiscard]] std::string_view operatorOf(const Bound& args) {
    return Op.view().empty() ? args.ownName() : Op.view();
}

/// The body of a function that hands its arguments on: torch.OP(args…).
template<FixedText Op, FixedText... Names>
Value callsTorch(Calls& call, const Bound& args) {
    return call.torch(operatorOf<Op>(args), {args[Names.view()]...});
}
/// The same for a method: args[0].OP(args[1]…).
template<FixedText Op, FixedText... Names>
Value callsMethod(Calls& call, const Bound& args) {
    return call.method(operatorOf<Op>(args), {args[Names.view()]...});
}

/// Binds the arguments to the parameters and calls the function. Throws RunFailure (ops.arguments).
[[nodiscard]] Value callPython(const PythonFunction& function, Calls& calls, Values args,
                               const Keywords& kwargs);

/// The function of that name; null when none is implemented here. Valid until the program ends.
[[nodiscard]] const PythonFunction* findPythonFunction(std::string_view name);
/// All of them, for the coverage table.
[[nodiscard]] std::vector<const PythonFunction*> allPythonFunctions();

} // namespace aotscope::torch::ops
