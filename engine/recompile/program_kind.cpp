#include "recompile/program_kind.h"

#include "ir/bodies.h"
#include "ir/higher_order.h"
#include "ir/operator_name.h"
#include "ir/operators/operator.h"

#include <algorithm>
#include <array>
#include <functional>

namespace aotscope::session {
namespace {

/// Whether an operator has an ordered effect in torch 2.11, torch/_higher_order_ops/effects.py.
bool hasOrderedEffect(std::string_view target) {
    const ir::HigherOrderOperator* known = ir::tryHigherOrder(target);
    return ir::Operator(target).is(ir::Trait::OrderedEffect) ||
           (known != nullptr && known->effect == ir::HigherOrderEffect::Ordered);
}

/// The target of the first node, in the graph or its subgraphs, for which `matches` holds.
std::string firstTarget(const ir::Graph& graph, const std::function<bool(const ir::Node&)>& matches) {
    std::string target;
    const auto finds = [&](const ir::Graph& each) {
        const auto order = each.order();
        const auto found = std::ranges::find_if(order, [&](ir::NodeId id) { return matches(each.node(id)); });
        target = found == order.end() ? std::string() : each.node(*found).target;
        return !target.empty();
    };
    return finds(graph) || ir::anyBody(graph, finds) ? target : std::string();
}

/// Whether a call target in a Dynamo graph is a Python function and not an operator ("torch.ops." is dropped
/// there).
bool isPythonFunction(std::string_view target) {
    constexpr std::array<std::string_view, 5> modules = {"torch.", "_operator.", "operator.", "math.",
                                                         "builtins."};
    return std::ranges::any_of(modules, [&](std::string_view module) { return target.starts_with(module); });
}

/// A call that compiled autograd inserted and that only the compiled program can execute; empty: none.
std::string ofCompiledAutograd(const ir::Graph& program,
                               const std::function<bool(const ir::Node&)>& mayFail) {
    const auto firstWith = [&](std::string_view name) {
        return firstTarget(program, [&](const ir::Node& node) {
            return mayFail(node) && node.target.starts_with("torch") &&
                   node.target.find("compiled_autograd") != std::string::npos &&
                   node.target.find(name) != std::string::npos;
        });
    };
    constexpr std::string_view function = "CppNode";
    if (const std::string target = firstWith(function); !target.empty()) {
        return "the autograd function " + target.substr(target.find(function) + function.size()) +
               ", which is C++ code of the program and not available here";
    }
    return firstWith("make_subclass").empty() ? "" : "tensor subclasses (made in the backward)";
}

} // namespace

std::set<std::string, std::less<>> operatorNames(std::span<const std::string> schemas) {
    std::set<std::string, std::less<>> names;
    for (const std::string& schema : schemas) {
        names.insert(schema.substr(0, schema.find_first_of(".(")));
    }
    return names;
}

std::string untraceableKind(const ir::Graph& program) {
    for (const ir::NodeId id : program.placeholders()) {
        const ir::TensorMeta* tensor = ir::asTensor(program.node(id).value);
        if (tensor != nullptr && (tensor->subclass || !tensor->layout.empty())) {
            return "tensor subclasses (" + (tensor->subclass ? tensor->subclass->className : tensor->layout) +
                   " of the input " + program.node(id).name + ")";
        }
    }
    const std::string effect = firstTarget(program, [](const ir::Node& node) {
        return node.op == ir::Opcode::CallFunction && hasOrderedEffect(node.target);
    });
    return effect.empty() ? effect : "effect tokens (the ordered effect of " + effect + ")";
}

std::string suspectedKind(const ir::Graph& program, const std::set<std::string, std::less<>>& knownOperators,
                          std::string_view failed) {
    const auto mayFail = [&](const ir::Node& node) { return failed.empty() || node.name == failed; };
    const std::string unknown = firstTarget(program, [&](const ir::Node& node) {
        const ir::OperatorName called = ir::splitTarget(node.target);
        if (!mayFail(node) || node.op != ir::Opcode::CallFunction || called.space.empty() ||
            isPythonFunction(node.target) || ir::isHigherOrder(node.target)) {
            return false;
        }
        return !knownOperators.contains(std::string(called.space) + "::" + std::string(called.name));
    });
    if (!unknown.empty()) {
        const ir::OperatorName called = ir::splitTarget(unknown);
        // torch/nn/modules/linear_cross_entropy.py of torch 2.15.
        return called.space == "torch_nn"
                   ? "the operator " + std::string(called.packet) +
                         ", which PyTorch itself implements in Python and which is not available here; call "
                         "linear_cross_entropy without options, which is made of other operators"
                   : "the custom operator " + std::string(called.packet) +
                         ", which is registered by the program and not available here";
    }
    if (std::string missing = ofCompiledAutograd(program, mayFail); !missing.empty()) {
        return missing;
    }
    const std::string order = firstTarget(program, [&](const ir::Node& node) {
        return mayFail(node) && node.op == ir::Opcode::CallFunction && ir::isHigherOrder(node.target);
    });
    return order.empty() ? order : "the higher-order operator " + order.substr(ir::higherOrderPrefix.size());
}

} // namespace aotscope::session
