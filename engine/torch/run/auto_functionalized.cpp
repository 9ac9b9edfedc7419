#include "run/higher_order.h"

#include "dispatch/failure.h"
#include "run/stand_in.h"
#include "run/value_access.h"

#include "ir/bodies.h"
#include "ir/higher_order.h"

#include <algorithm>
#include <string>

namespace aotscope::torch {

namespace {

using c10::IValue;
using Values = std::vector<IValue>;

IValue find(const NamedValues& values, const std::string& name) {
    const auto found =
        std::find_if(values.begin(), values.end(), [&](const auto& item) { return item.first == name; });
    return found == values.end() ? IValue() : found->second;
}

/// A copy that keeps the strides, so that views of the original are views of the copy.
IValue copied(const IValue& value) {
    if (value.isTensor() && value.toTensor().defined()) {
        return value.toTensor().clone();
    }
    if (value.isList()) {
        c10::impl::GenericList list(c10::AnyType::get());
        for (const IValue& item : elementsOf(value)) {
            list.push_back(copied(item));
        }
        return list;
    }
    return value;
}

IValue viewOfBase(const NamedValues& kwargs, const std::string& name, const Values& bases) {
    const std::string prefix = "_" + name + "_";
    const IValue index = find(kwargs, prefix + "base_index");
    if (!index.isInt()) {
        return {};
    }
    if (index.toInt() < 0 || static_cast<std::size_t>(index.toInt()) >= bases.size()) {
        fail("run.arguments", "auto_functionalized_v2 names a base that is not in its list.");
    }
    const at::Tensor base = tensorArgument(bases[static_cast<std::size_t>(index.toInt())]);
    const IValue size = find(kwargs, prefix + "size");
    if (!size.isNone()) {
        const IValue offset = find(kwargs, prefix + "storage_offset");
        return base.as_strided(intsArgument(size), intsArgument(find(kwargs, prefix + "stride")),
                               offset.isNone() ? 0 : intArgument(offset));
    }
    const IValue dim = find(kwargs, prefix + "slice_dim");
    if (!dim.isNone()) {
        return callAten("aten.slice.Tensor", {base, dim, find(kwargs, prefix + "slice_start"),
                                              find(kwargs, prefix + "slice_end")});
    }
    return base;
}

IValue mutableArgument(const NamedValues& kwargs, const std::string& name, const Values& bases) {
    const IValue length = find(kwargs, "_" + name + "_length");
    if (!length.isInt()) {
        return viewOfBase(kwargs, name, bases);
    }
    c10::impl::GenericList list(c10::AnyType::get());
    for (std::int64_t i = 0; i < std::min<std::int64_t>(length.toInt(), 100'000); ++i) {
        list.push_back(viewOfBase(kwargs, name + "_" + std::to_string(i), bases));
    }
    return list;
}

void appendResults(Values& into, const IValue& result) {
    if (result.isTuple()) {
        const Values parts = elementsOf(result);
        into.insert(into.end(), parts.begin(), parts.end());
    } else {
        into.push_back(result);
    }
}

bool has(const NamedValues& values, const std::string& name) {
    return std::ranges::any_of(values, [&](const auto& item) { return item.first == name; });
}

/// The inputs of a subgraph, which the call names arg0, arg1, …
Values subgraphInputs(const NamedValues& given, const Values& bases) {
    Values inputs;
    for (;;) {
        const std::string name = "arg" + std::to_string(inputs.size());
        const bool isWritten = has(given, "_" + name + "_base_index") || has(given, "_" + name + "_length");
        if (!isWritten && !has(given, name)) {
            return inputs;
        }
        inputs.push_back(isWritten ? mutableArgument(given, name, bases) : find(given, name));
    }
}

/// The subgraph that a call of invoke_subgraph runs; null: the call is of another operator.
ir::GraphPtr calledSubgraph(const ir::Node& node, std::string_view target, const Frame& frame) {
    if (!ir::isHigherOrder(target, ir::HigherOrder::InvokeSubgraph)) {
        return nullptr;
    }
    const auto named = std::ranges::find(node.kwargs, "subgraph", &ir::KeywordArgument::name);
    return named == node.kwargs.end() ? nullptr : ir::bodyOf(frame.graph, named->value);
}

bool isMutated(const c10::Argument& argument) {
    return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
}

} // namespace

IValue autoFunctionalized(const HigherOrderCall& call) {
    const std::string target = call.op(0);
    const auto op = findOperator(target);
    if (!op) {
        return standIn(target, call.frame, call.id);
    }
    NamedValues kwargs = keywordValues(call.node.kwargs, call.frame);
    Values copies;
    for (const c10::Argument& argument : op->schema().arguments()) {
        for (auto& [name, value] : kwargs) {
            if (name == argument.name() && isMutated(argument)) {
                value = copied(value);
                copies.push_back(value);
            }
        }
    }
    Values results;
    appendResults(results, call.executor.call(target, {}, kwargs, call.frame, call.id));
    results.insert(results.end(), copies.begin(), copies.end());
    return c10::ivalue::Tuple::create(std::move(results));
}

IValue autoFunctionalizedV2(const HigherOrderCall& call) {
    const std::string target = call.op(0);
    const ir::GraphPtr subgraph = calledSubgraph(call.node, target, call.frame);
    const auto op = findOperator(target);
    if (!op && !subgraph) {
        return standIn(target, call.frame, call.id);
    }
    const NamedValues given = keywordValues(call.node.kwargs, call.frame);
    Values bases;
    for (const IValue& base : elementsOf(find(given, "_all_bases"))) {
        bases.push_back(copied(base));
    }
    if (subgraph) {
        Values results = call.run(subgraph, subgraphInputs(given, bases));
        results.insert(results.end(), bases.begin(), bases.end());
        return c10::ivalue::Tuple::create(std::move(results));
    }
    NamedValues kwargs;
    for (const c10::Argument& argument : op->schema().arguments()) {
        if (isMutated(argument)) {
            kwargs.emplace_back(argument.name(), mutableArgument(given, argument.name(), bases));
        } else if (has(given, argument.name())) {
            kwargs.emplace_back(argument.name(), find(given, argument.name()));
        }
    }
    Values results;
    appendResults(results, call.executor.call(target, {}, kwargs, call.frame, call.id));
    results.insert(results.end(), bases.begin(), bases.end());
    return c10::ivalue::Tuple::create(std::move(results));
}

} // namespace aotscope::torch
