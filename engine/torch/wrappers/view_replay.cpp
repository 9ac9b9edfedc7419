#include "wrappers/view_replay.h"

#include "base/joined.h"
#include "dispatch/failure.h"
#include "dispatch/operators.h"
#include "run/inputs/meta_view.h"
#include "run/state/frame.h"

#include "ir/text/parser.h"

#include <ATen/ops/view_as_complex.h>
#include <ATen/ops/view_as_real.h>

#include <algorithm>
#include <span>

namespace aotscope::torch {

namespace {

/// Whether the operator returns views of its first argument.
bool isView(const c10::FunctionSchema& schema) {
    if (schema.arguments().empty() || schema.returns().size() != 1) {
        return false;
    }
    const c10::AliasInfo* argument = schema.arguments().front().alias_info();
    const c10::AliasInfo* result = schema.returns().front().alias_info();
    return argument != nullptr && !argument->isWrite() && result != nullptr && !result->isWrite();
}

/// Whether an argument depends on a node or a symbol.
bool isConstant(const ir::Argument& argument) {
    if (const ir::Arguments* items = ir::itemsOf(argument)) {
        return std::ranges::all_of(*items, isConstant);
    }
    return argument.as<ir::NodeId>() == nullptr && argument.as<ir::SymbolArgument>() == nullptr;
}

bool isGetItem(const ir::Node& node) {
    return node.target.ends_with("getitem");
}

/// Null if the node is no call, or its first argument no node.
const ir::NodeId* tryFirstArgument(const ir::Node& node) {
    return node.op == ir::Opcode::CallFunction ? firstNode(node) : nullptr;
}

std::string tupleText(at::IntArrayRef sizes) {
    return "(" + base::joined(sizes) + (sizes.size() == 1 ? ",)" : ")");
}

at::Tensor withGradientOf(at::Tensor alias, const at::Tensor& base, bool requiresGrad) {
    if (base.requires_grad() && !requiresGrad) {
        return alias.detach();
    }
    if (!base.requires_grad() && requiresGrad) {
        alias.set_requires_grad(true);
    }
    return alias;
}

/// Whether autograd would make a view again from `base`: it refuses one whose memory has another size, as a
/// copy of a part has (torch/csrc/autograd/variable.cpp: has_same_meta).
bool takesView(const at::Tensor& base, const at::Tensor& target) {
    return base.storage().nbytes() == target.storage().nbytes() && base.dtype() == target.dtype() &&
           base.is_conj() == target.is_conj() && base.is_neg() == target.is_neg();
}

at::Tensor stridedAlias(const at::Tensor& base, const at::Tensor& target, const AliasRecipe& recipe) {
    std::int64_t offset = target.storage_offset();
    const bool isCopied = !base.is_alias_of(target);
    const bool isView = recipe.isView || target.is_view();
    if (isCopied && recipe.offsetIsRelative && !(isView && takesView(base, target))) {
        offset += base.storage_offset();
    }
    const at::Tensor viewed = base.is_complex() && !target.is_complex()   ? at::view_as_real(base)
                              : !base.is_complex() && target.is_complex() ? at::view_as_complex(base)
                                                                          : base;
    const at::Tensor alias = viewed.as_strided(target.sizes(), target.strides(), offset);
    return alias.dtype() == target.dtype() ? alias : alias.view(target.scalar_type());
}

} // namespace

std::optional<ViewReplay> ViewReplay::of(const std::string& text) {
    const auto parsed = ir::parseGraphText(text);
    const std::vector<ir::NodeId> inputs = parsed ? (*parsed)->placeholders() : std::vector<ir::NodeId>();
    const std::vector<ir::NodeId> results = parsed ? ir::returnedNodes(**parsed) : std::vector<ir::NodeId>();
    if (inputs.size() != 1 || results.size() != 1 || !results.front().valid()) {
        return std::nullopt;
    }
    const ir::Graph& graph = **parsed;
    const ir::NodeId base = inputs.front();
    ir::NodeId value = results.front();
    ViewReplay replay;
    RunContext noSymbols;
    const Frame frame(graph, noSymbols);
    std::optional<std::size_t> item;
    while (value != base) {
        const ir::Node& node = graph.node(value);
        const ir::NodeId* viewed = tryFirstArgument(node);
        if (viewed == nullptr || !std::all_of(node.args.begin() + 1, node.args.end(), isConstant) ||
            !std::ranges::all_of(node.kwargs, [](const auto& kwarg) { return isConstant(kwarg.value); })) {
            return std::nullopt;
        }
        if (isGetItem(node)) {
            const auto* index = node.args.size() == 2 ? node.args[1].as<std::int64_t>() : nullptr;
            if (item || index == nullptr || *index < 0) {
                return std::nullopt;
            }
            item = static_cast<std::size_t>(*index);
        } else {
            const auto op = findOperator(node.target);
            if (!op || !isView(op->schema()) || !node.kwargs.empty()) {
                return std::nullopt;
            }
            replay.m_steps.insert(replay.m_steps.begin(),
                                  Step{*op, argumentValues(std::span(node.args).subspan(1), frame), item});
            item.reset();
        }
        value = *viewed;
    }
    return item ? std::nullopt : std::optional(std::move(replay));
}

at::Tensor ViewReplay::apply(at::Tensor base) const {
    for (const Step& step : m_steps) {
        std::vector<c10::IValue> arguments;
        arguments.reserve(step.others.size() + 1);
        arguments.emplace_back(std::move(base));
        arguments.insert(arguments.end(), step.others.begin(), step.others.end());
        const c10::IValue result = callOperator(step.op, std::move(arguments));
        if (!step.item) {
            base = result.toTensor();
        } else if (result.isTensorList()) {
            base = result.toTensorList().get(*step.item);
        } else {
            base = result.toListRef().at(*step.item).toTensor();
        }
    }
    return base;
}

std::string ViewReplay::text() const {
    std::string names;
    for (const Step& step : m_steps) {
        const std::string& name = step.op.schema().name();
        names += (names.empty() ? "" : ", ") + name.substr(name.find("::") + 2);
    }
    return names;
}

ir::NodeId viewedBase(const ir::Graph& graph, ir::NodeId value) {
    while (true) {
        const ir::NodeId* viewed = tryFirstArgument(graph.node(value));
        // What a split returns is taken apart before it is used.
        const ir::NodeId from = viewed != nullptr && isGetItem(graph.node(value)) ? *viewed : value;
        viewed = tryFirstArgument(graph.node(from));
        const auto op = viewed == nullptr ? std::nullopt : findOperator(graph.node(from).target);
        if (!op || !isView(op->schema())) {
            return value;
        }
        value = *viewed;
    }
}

at::Tensor aliasOf(const at::Tensor& base, const at::Tensor& target, bool requiresGrad,
                   const AliasRecipe& recipe) {
    if (!recipe.replay) {
        return withGradientOf(stridedAlias(base, target, recipe), base, requiresGrad);
    }
    at::Tensor alias = recipe.replay->apply(base);
    if (alias.sizes() != target.sizes()) {
        fail("call.alias",
             "incorrect out shape after application of ViewMeta sequence: " + tupleText(alias.sizes()) +
                 " (actual) vs " + tupleText(target.sizes()) + " (expected)");
    }
    return withGradientOf(std::move(alias), base, requiresGrad);
}

} // namespace aotscope::torch
