#include "wrappers/view_replay.h"

#include "dispatch/operators.h"
#include "run/frame.h"

#include <ATen/ops/view_as_complex.h>
#include <ATen/ops/view_as_real.h>

#include <algorithm>

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
    const auto all = [](const ir::Arguments& items) { return std::ranges::all_of(items, isConstant); };
    if (const auto* list = argument.as<ir::ListArgument>()) {
        return all(list->items);
    }
    if (const auto* tuple = argument.as<ir::TupleArgument>()) {
        return all(tuple->items);
    }
    return argument.as<ir::NodeId>() == nullptr && argument.as<ir::SymbolArgument>() == nullptr;
}

bool isGetItem(const ir::Node& node) {
    return node.target.ends_with("getitem");
}

} // namespace

std::optional<ViewReplay> ViewReplay::between(const ir::Graph& graph, ir::NodeId base, ir::NodeId value) {
    ViewReplay replay;
    RunContext noSymbols;
    const Frame frame(graph, noSymbols);
    std::optional<std::size_t> item;
    while (value != base) {
        const ir::Node& node = graph.node(value);
        const ir::NodeId* viewed = node.args.empty() ? nullptr : node.args.front().as<ir::NodeId>();
        if (node.op != ir::Opcode::CallFunction || viewed == nullptr ||
            !std::all_of(node.args.begin() + 1, node.args.end(), isConstant) ||
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
            if (!op || !isView(op->schema())) {
                return std::nullopt;
            }
            if (op->schema().name() != "aten::alias") {
                if (!node.kwargs.empty()) {
                    return std::nullopt;
                }
                Step step{*op, {}, item};
                for (std::size_t i = 1; i < node.args.size(); ++i) {
                    step.others.push_back(argumentValue(node.args[i], frame));
                }
                replay.m_steps.insert(replay.m_steps.begin(), std::move(step));
            }
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

at::Tensor aliasOf(const at::Tensor& base, const at::Tensor& target, bool requiresGrad,
                   const std::optional<ViewReplay>& replay) {
    at::Tensor alias;
    if (replay && replay->size() > 0) {
        alias = replay->apply(base);
    }
    if (!alias.defined() || alias.sizes() != target.sizes()) {
        std::int64_t offset = target.storage_offset();
        if (!base.is_alias_of(target)) {
            // The graph worked on a copy, so its offset counts from the base's.
            offset += base.storage_offset();
        }
        const at::Tensor viewed = base.is_complex() && !target.is_complex()   ? at::view_as_real(base)
                                  : !base.is_complex() && target.is_complex() ? at::view_as_complex(base)
                                                                              : base;
        alias = viewed.as_strided(target.sizes(), target.strides(), offset);
    }
    if (base.requires_grad() && !requiresGrad) {
        return alias.detach();
    }
    if (!base.requires_grad() && requiresGrad) {
        alias.set_requires_grad(true);
    }
    return alias;
}

} // namespace aotscope::torch
