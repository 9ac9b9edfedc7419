#include "ops/interpreter.h"

#include "base/mapped.h"
#include "dispatch/constant_names.h"
#include "dispatch/dtypes.h"
#include "dispatch/failure.h"
#include "dispatch/handled_error.h"
#include "ops/numpy_arrays.h"

#include "base/overloaded.h"

#include <algorithm>
#include <memory>

namespace aotscope::torch::ops {

namespace {

bool holdsSymbol(const ir::Graph& graph, const ir::Argument& argument) {
    bool holds = argument.as<ir::SymbolArgument>() != nullptr;
    ir::forEachNode(argument, [&](ir::NodeId id) {
        holds = holds || std::holds_alternative<ir::SymbolicMeta>(graph.node(id).value);
    });
    return holds;
}

/// "symbolic padding of avg_pool2d": the arguments with sizes that change, which LibTorch's code may not
/// expect; empty: there are none.
std::string symbolicArguments(const ir::Graph& graph, const ir::Node& node) {
    std::string names;
    const auto add = [&](const std::string& name) { names += (names.empty() ? "" : ", ") + name; };
    for (std::size_t i = 0; i < node.args.size(); ++i) {
        if (holdsSymbol(graph, node.args[i])) {
            add("argument " + std::to_string(i + 1));
        }
    }
    for (const ir::KeywordArgument& keyword : node.kwargs) {
        if (holdsSymbol(graph, keyword.value)) {
            add(keyword.name);
        }
    }
    return names.empty() ? names : "symbolic " + names + " of " + node.name;
}

/// Adds the node and source line to the error, unless a nested graph has set them, and names what LibTorch's
/// own check stopped.
void addPlace(base::Error& error, const ir::Graph& graph, const ir::Node& node) {
    const std::string symbolic = error.code == internalCheckCode && error.place.node.empty()
                                     ? symbolicArguments(graph, node)
                                     : std::string();
    if (!symbolic.empty()) {
        error.message = symbolic + " is not supported: " + error.message;
    }
    if (addNode(error, node) && node.origin && node.origin->source) {
        error.place.file = node.origin->source->file;
        error.place.line = static_cast<std::size_t>(std::max(0, node.origin->source->line));
        error.notes.push_back("code: " + node.origin->source->code);
    }
}

} // namespace

struct Interpreter::Frame {
    explicit Frame(const ir::Graph& runGraph) : graph(runGraph), values(runGraph.idBound()) {}
    const ir::Graph& graph;
    Values values;
};

Value Interpreter::run(const ir::Graph& graph, Values inputs) {
    if (m_calls != nullptr) {
        return runNodes(graph, std::move(inputs));
    }
    Calls calls(m_rules);
    m_calls = &calls;
    struct Reset {
        Calls*& calls;
        ~Reset() { calls = nullptr; }
    } const reset{m_calls};
    Value result = runNodes(graph, std::move(inputs));
    calls.state().leaveGradMode();
    return result;
}

Value Interpreter::runNodes(const ir::Graph& graph, Values inputs) {
    Frame frame(graph);
    std::size_t nextInput = 0;
    for (const ir::NodeId id : graph.order()) {
        const ir::Node& node = graph.node(id);
        if (node.op == ir::Opcode::Output) {
            return node.args.empty() ? Value() : value(frame, node.args.front());
        }
        Value result;
        try {
            if (m_hooks.before) {
                m_hooks.before(graph, id);
            }
            if (node.op == ir::Opcode::Placeholder) {
                if (nextInput >= inputs.size()) {
                    fail("ops.arguments", "The graph has more inputs than the " +
                                              std::to_string(inputs.size()) + " values it is run with.");
                }
                result = std::move(inputs[nextInput++]);
            } else {
                result = compute(frame, id);
            }
        } catch (RunFailure& failure) {
            addPlace(failure.error(), graph, node);
            throw;
        } catch (const c10::Error&) {
            RunFailure failure(handledError("ops.operator_failed"));
            failure.error().message = firstLine(failure.error().message);
            addPlace(failure.error(), graph, node);
            throw failure;
        }
        frame.values[id.index()] = std::move(result);
        graph.forEachLastUse(id, [&](ir::NodeId last) { frame.values[last.index()] = Value(); });
    }
    return {};
}

Value Interpreter::compute(Frame& frame, ir::NodeId id) {
    const ir::Node& node = frame.graph.node(id);
    if (node.op == ir::Opcode::GetAttr) {
        return attribute(frame.graph, id);
    }
    const Values args = values(frame, node.args);
    Keywords kwargs;
    for (const ir::KeywordArgument& kwarg : node.kwargs) {
        kwargs.emplace_back(kwarg.name, value(frame, kwarg.value));
    }
    return call({frame.graph, id, args, kwargs});
}

Value Interpreter::call(const NodeCall& call) {
    if (m_hooks.intercept) {
        if (auto result = m_hooks.intercept(call)) {
            return *std::move(result);
        }
    }
    const ir::Node& node = call.info();
    if (node.op == ir::Opcode::CallMethod) {
        return m_calls->method(node.target, call.args, call.kwargs);
    }
    if (node.op == ir::Opcode::CallFunction) {
        // Dynamo writes the function of NumPy and the method alike, and the method gives nothing.
        const bool givesNothing =
            std::holds_alternative<std::monostate>(node.value) && call.graph.users(call.node).empty();
        if (isBackwardPrologue(node.target)) {
            return backwardPrologue(call);
        }
        const std::string method = givesNothing ? numpy::methodTarget(node.target) : std::string();
        return m_calls->function(method.empty() ? node.target : method, call.args, call.kwargs);
    }
    if (const ir::GraphPtr nested = call.graph.trySubgraph(node.target)) {
        return runNodes(*nested, call.args);
    }
    fail("ops.unknown_function", "The module " + node.target + " is not in the graph.");
}

Value Interpreter::attribute(const ir::Graph& graph, ir::NodeId id) const {
    const ir::Node& node = graph.node(id);
    if (ir::GraphPtr nested = graph.trySubgraph(node.target)) {
        return GraphReference{node.target, std::move(nested)};
    }
    if (!m_hooks.attribute) {
        fail("ops.unknown_attribute",
             "The graph reads the attribute \"" + node.target + "\", but its value is not logged.");
    }
    return m_hooks.attribute(graph, id);
}

Values Interpreter::values(const Frame& frame, std::span<const ir::Argument> arguments) const {
    return base::mapped(arguments, [&](const ir::Argument& argument) { return value(frame, argument); });
}

namespace {

Value dtypeValue(ir::DType dtype) {
    if (const auto type = scalarType(dtype)) {
        return *type;
    }
    fail("ops.type", "LibTorch has no dtype " + std::string(ir::dtypeName(dtype)) + ".");
}

/// The constant of torch of that name.
template<typename Constant>
Value constantNamed(const char* kind, const std::string& name,
                    std::optional<Constant> (*named)(std::string_view)) {
    if (const auto constant = named(name)) {
        return *constant;
    }
    fail("ops.type", "torch." + name + " is not a " + kind + " known here.");
}

} // namespace

Value Interpreter::value(const Frame& frame, const ir::Argument& argument) const {
    return std::visit(
        base::Overloaded{
            [](const ir::NoneArgument&) { return Value(); }, [](bool known) { return Value(known); },
            [](std::int64_t known) { return Value(known); }, [](double known) { return Value(known); },
            [](const std::complex<double>& known) {
                return Value(c10::complex<double>(known.real(), known.imag()));
            },
            [](const std::string& text) { return Value(text); },
            [&](ir::NodeId id) { return frame.values[id.index()]; },
            [](ir::DType dtype) { return dtypeValue(dtype); },
            [](const ir::EllipsisArgument&) { return Value(Ellipsis{}); },
            [&](const ir::SymbolArgument& symbol) {
                if (!m_hooks.symbol) {
                    fail("ops.unknown_symbol", "The value of the symbol " +
                                                   std::string(symbol.expression.text()) + " is not known.");
                }
                return m_hooks.symbol(symbol.expression);
            },
            [](const ir::DeviceArgument& device) { return Value(c10::Device(device.device.text())); },
            [](const ir::LayoutArgument& layout) {
                return constantNamed("layout", layout.name, layoutNamed);
            },
            [](const ir::MemoryFormatArgument& format) {
                return constantNamed("memory format", format.name, memoryFormatNamed);
            },
            [](const ir::OperatorArgument& op) { return Value(FunctionReference{op.target}); },
            [](const ir::OpaqueArgument& opaque) {
                return Value(Object{opaque.text, nullptr});
            },
            [&](const ir::ListArgument& list) { return Value::list(values(frame, list.items)); },
            [&](const ir::TupleArgument& tuple) { return Value::tuple(values(frame, tuple.items)); },
            [&](const std::shared_ptr<const ir::SliceArgument>& slice) {
                return Value::slice(value(frame, slice->start), value(frame, slice->stop),
                                    value(frame, slice->step));
            },
            [&](const std::shared_ptr<const ir::DictArgument>& dict) {
                Dict result{std::make_shared<std::vector<std::pair<Value, Value>>>()};
                for (const auto& [key, item] : dict->items) {
                    result.items->emplace_back(value(frame, key), value(frame, item));
                }
                return Value(std::move(result));
            }},
        argument.value);
}

} // namespace aotscope::torch::ops
