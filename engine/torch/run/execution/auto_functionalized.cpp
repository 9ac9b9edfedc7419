#include "run/execution/higher_order.h"

#include "base/mapped.h"
#include "dispatch/failure.h"
#include "run/replacements/stand_in.h"
#include "run/state/value_access.h"

#include "ir/bodies.h"
#include "ir/higher_order.h"

#include <algorithm>
#include <string>

namespace aotscope::torch {

namespace {

using c10::IValue;
using Values = std::vector<IValue>;

IValue find(const NamedValues& values, const std::string& name) {
    const auto found = std::ranges::find(values, name, &NamedValues::value_type::first);
    return found == values.end() ? IValue() : found->second;
}

/// A copy that keeps the strides, so that views of the original are views of the copy.
IValue copiedValue(const IValue& value) {
    return value.isTuple() ? value
                           : mapTensors(value, [](const at::Tensor& tensor) { return tensor.clone(); });
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

/// What the operator returned, and behind it what it wrote to.
IValue withWritten(const IValue& returned, const Values& written) {
    Values results = returned.isTuple() ? elementsOf(returned) : Values{returned};
    results.insert(results.end(), written.begin(), written.end());
    return c10::ivalue::Tuple::create(std::move(results));
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
                value = copiedValue(value);
                copies.push_back(value);
            }
        }
    }
    return withWritten(call.executor.call(target, {}, kwargs, call.frame, call.id), copies);
}

IValue autoFunctionalizedV2(const HigherOrderCall& call) {
    const std::string target = call.op(0);
    const ir::GraphPtr subgraph = calledSubgraph(call.node, target, call.frame);
    const auto op = findOperator(target);
    if (!op && !subgraph) {
        return standIn(target, call.frame, call.id);
    }
    const NamedValues given = keywordValues(call.node.kwargs, call.frame);
    const auto bases = base::mapped(elementsOf(find(given, "_all_bases")), copiedValue);
    if (subgraph) {
        return withWritten(c10::ivalue::Tuple::create(call.run(subgraph, subgraphInputs(given, bases))),
                           bases);
    }
    NamedValues kwargs;
    for (const c10::Argument& argument : op->schema().arguments()) {
        if (isMutated(argument)) {
            kwargs.emplace_back(argument.name(), mutableArgument(given, argument.name(), bases));
        } else if (has(given, argument.name())) {
            kwargs.emplace_back(argument.name(), find(given, argument.name()));
        }
    }
    return withWritten(call.executor.call(target, {}, kwargs, call.frame, call.id), bases);
}

} // namespace aotscope::torch
