#include "passes/gradient_flow.h"

#include "ir/bodies.h"
#include "ir/higher_order.h"
#include "ir/operator_name.h"
#include "ir/operators/operator.h"

#include <algorithm>
#include <string_view>

namespace aotscope::passes {

namespace {

/// The name of a call without its overload: "add" of "aten.add.Tensor", "sin" of "torch.sin".
std::string_view callName(const ir::Node& node) {
    if (node.op == ir::Opcode::CallMethod) {
        return node.target;
    }
    std::string_view target = node.target;
    if (const auto* name = node.tryArg<std::string>(1); target == "getattr" && name != nullptr) {
        return *name;
    }
    if (target.starts_with("aten.") || target.starts_with("prims.")) {
        target = target.substr(0, target.rfind('.'));
    }
    return ir::lastPart(target);
}

bool mayBeDifferentiable(const ir::Node& node) {
    if (node.op == ir::Opcode::Placeholder || node.op == ir::Opcode::Output) {
        return true;
    }
    if (ir::operatorNamed(callName(node)).is(ir::Trait::WithoutGradient)) {
        return false;
    }
    const ir::TensorMeta* tensor = ir::asTensor(node.value);
    return tensor == nullptr || ir::canRequireGrad(tensor->dtype);
}

/// The gradients that the backward of an autograd.Function returns, one per argument after the two bodies.
const ir::Arguments* functionGradients(const ir::Graph& program, const ir::Node& node) {
    const ir::GraphPtr backward = ir::isHigherOrder(node.target, ir::HigherOrder::AutogradFunctionApply)
                                      ? ir::bodyAt(program, node, 1)
                                      : nullptr;
    if (!backward || backward->order().empty()) {
        return nullptr;
    }
    const ir::Node& output = backward->node(backward->order().back());
    const auto* tuple = output.op == ir::Opcode::Output ? output.tryArg<ir::TupleArgument>(0) : nullptr;
    return tuple != nullptr ? &tuple->items : nullptr;
}

/// Inputs that a gradient of the node's result flows on to, as far as its call shows.
template<typename Visit>
void forEachDifferentiated(const ir::Graph& program, const ir::Node& node, Visit&& visit) {
    const ir::Arguments* gradients = functionGradients(program, node);
    if (gradients == nullptr) {
        ir::forEachNode(node, visit);
        return;
    }
    for (std::size_t i = 2; i < node.args.size(); ++i) {
        if (i - 2 >= gradients->size() || (*gradients)[i - 2].as<ir::NoneArgument>() == nullptr) {
            ir::forEachNode(node.args[i], visit);
        }
    }
}

/// Grad mode after a call, which may set it.
bool gradModeAfter(const ir::Node& node, bool isEnabled) {
    const std::string_view name = ir::lastPart(node.target);
    if ((name == "_set_grad_enabled" || name == "set_grad_enabled") && !node.args.empty()) {
        const bool* value = node.args.front().as<bool>();
        return value == nullptr || *value;
    }
    return isEnabled && name != "_enter_inference_mode";
}

/// Whether the call has a reason to be there besides its result.
bool hasEffect(const ir::Node& node) {
    return writesToFirst(node) || node.target.starts_with("torch._C.") ||
           node.target.find("set_grad_enabled") != std::string::npos ||
           node.target.find("_assert") != std::string::npos || node.op == ir::Opcode::Output ||
           node.op == ir::Opcode::Placeholder || node.op == ir::Opcode::GetAttr ||
           ir::isHigherOrder(node.target);
}

bool sameKind(const ir::Node& left, const ir::Node& right) {
    const ir::TensorMeta* a = ir::asTensor(left.value);
    const ir::TensorMeta* b = ir::asTensor(right.value);
    return a != nullptr && b != nullptr && a->shape == b->shape && a->dtype == b->dtype;
}

} // namespace

bool writesToFirst(const ir::Node& node) {
    if (node.op != ir::Opcode::CallMethod && node.op != ir::Opcode::CallFunction) {
        return false;
    }
    if (node.target == "_operator.setitem") {
        return true;
    }
    const std::string_view name = callName(node);
    return name.size() > 1 && name.ends_with('_') && !name.ends_with("__") && name != "detach_" &&
           name != "requires_grad_" && node.tryArg<ir::NodeId>(0) != nullptr;
}

GradientFlow gradientFlow(const ir::Graph& program, const std::vector<bool>& requiresGrad, bool gradEnabled) {
    GradientFlow flow{std::vector<bool>(program.idBound(), false),
                      std::vector<bool>(program.idBound(), false)};
    std::vector<bool> passes(program.idBound(), false);
    const auto placeholders = program.placeholders();
    for (std::size_t i = 0; i < placeholders.size() && i < requiresGrad.size(); ++i) {
        flow.requires_[placeholders[i].index()] = requiresGrad[i];
    }
    for (const ir::NodeId id : program.order()) {
        const ir::Node& node = program.node(id);
        gradEnabled = gradModeAfter(node, gradEnabled);
        passes[id.index()] = (gradEnabled || node.op == ir::Opcode::Output) && mayBeDifferentiable(node);
        if (node.op == ir::Opcode::Placeholder || !passes[id.index()]) {
            continue;
        }
        bool any = false;
        ir::forEachNode(node, [&](ir::NodeId input) { any = any || flow.requires_[input.index()]; });
        flow.requires_[id.index()] = any;
        if (any && writesToFirst(node)) {
            flow.requires_[node.tryArg<ir::NodeId>(0)->index()] = true;
        }
    }
    const auto order = program.order();
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
        const ir::Node& node = program.node(*it);
        bool reaches = node.op == ir::Opcode::Output || flow.reaches[it->index()];
        if (const ir::NodeId* written = writesToFirst(node) ? node.tryArg<ir::NodeId>(0) : nullptr) {
            reaches = reaches || flow.reaches[written->index()] ||
                      program.node(*written).op == ir::Opcode::Placeholder;
        }
        flow.reaches[it->index()] = reaches;
        if (reaches && passes[it->index()]) {
            forEachDifferentiated(program, node,
                                  [&](ir::NodeId input) { flow.reaches[input.index()] = true; });
        }
    }
    return flow;
}

std::vector<std::string> unusedGradients(const ir::Graph& forward, const ir::Graph& backward) {
    const auto parts = forward.returned();
    const ir::Arguments* outputs = parts.size() == 2 ? itemsOf(parts.front()) : nullptr;
    if (outputs == nullptr) {
        return {};
    }
    std::vector<bool> ofGradient(backward.idBound(), false);
    const auto placeholders = backward.placeholders();
    for (std::size_t i = 0; i < placeholders.size() && i < outputs->size(); ++i) {
        ofGradient[placeholders[i].index()] = true;
    }
    std::vector<std::string> names;
    for (const ir::NodeId id : backward.order()) {
        const ir::Node& node = backward.node(id);
        const auto look = [&](ir::NodeId input) {
            if (ofGradient[input.index()]) {
                ofGradient[id.index()] = true;
            }
        };
        for (const ir::Argument& argument : node.args) {
            ir::forEachNode(argument, look);
        }
        if (hasEffect(node) || !ofGradient[id.index()] || !backward.users(id).empty()) {
            continue;
        }
        const auto arguments = forward.placeholders();
        if (std::ranges::any_of(
                arguments, [&](ir::NodeId argument) { return sameKind(node, forward.node(argument)); })) {
            names.push_back(node.name);
        }
    }
    return names;
}

} // namespace aotscope::passes
