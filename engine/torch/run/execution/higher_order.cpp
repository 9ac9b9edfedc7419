#include "run/execution/higher_order.h"

#include "base/mapped.h"
#include "dispatch/failure.h"
#include "run/execution/generator_seed.h"
#include "run/replacements/stand_in.h"
#include "run/state/value_access.h"

#include "ir/bodies.h"
#include "ir/higher_order.h"
#include "ir/operator_name.h"

#include <ATen/ops/stack.h>
#include <c10/util/ScopeExit.h>

#include <algorithm>
#include <string>

namespace aotscope::torch {

namespace {

using c10::IValue;
using Values = std::vector<IValue>;
using Call = HigherOrderCall;

IValue tuple(Values values) {
    return c10::ivalue::Tuple::create(std::move(values));
}

Values joined(Values left, const Values& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

bool truth(const IValue& value) {
    if (value.isTensor()) {
        return tensorArgument(value).item().toBool();
    }
    if (!value.isBool() && !value.isInt()) {
        fail("run.arguments", "A condition is neither a bool nor a tensor.");
    }
    return value.isBool() ? value.toBool() : value.toInt() != 0;
}

IValue cond(const Call& call) {
    const bool chosen = truth(call.value(0));
    return tuple(call.run(call.graph(chosen ? 1 : 2), call.valuesIfAny(3)));
}

IValue whileLoop(const Call& call) {
    const ir::GraphPtr condition = call.graph(0);
    const ir::GraphPtr body = call.graph(1);
    Values carried = call.values(2);
    const Values others = call.valuesIfAny(3);
    for (;;) {
        const Values answer = call.run(condition, joined(carried, others));
        if (answer.size() != 1) {
            fail("run.arguments", "The condition of a while_loop does not return a single value.");
        }
        if (!truth(answer.front())) {
            return tuple(std::move(carried));
        }
        Values next = call.run(body, joined(carried, others));
        if (next.size() != carried.size()) {
            fail("run.arguments",
                 "The body of a while_loop returns a different number of values than it takes.");
        }
        carried = std::move(next);
    }
}

/// Row `i` of each tensor.
Values rowsAt(const Values& tensors, std::int64_t i) {
    return base::mapped<Values>(tensors,
                                [&](const IValue& tensor) { return tensorArgument(tensor).select(0, i); });
}

std::int64_t commonLength(const Values& tensors, const std::string& target) {
    if (tensors.empty()) {
        fail("run.arguments", target + " has nothing to loop over.");
    }
    std::optional<std::int64_t> length;
    for (const IValue& value : tensors) {
        const at::Tensor tensor = tensorArgument(value);
        if (tensor.dim() == 0 || (length && tensor.size(0) != *length)) {
            fail("run.arguments", target + " loops over tensors of different lengths.");
        }
        length = tensor.size(0);
    }
    return *length;
}

/// Stacks each output over the steps: steps[i][k] becomes result[k][i].
Values stackSteps(const std::vector<Values>& steps, std::size_t first) {
    Values stacked;
    if (steps.empty()) {
        return stacked;
    }
    for (std::size_t k = first; k < steps.front().size(); ++k) {
        std::vector<at::Tensor> rows;
        for (const Values& step : steps) {
            if (step.size() != steps.front().size()) {
                fail("run.arguments", "The steps of a loop return different numbers of values.");
            }
            rows.push_back(tensorArgument(step[k]));
        }
        stacked.emplace_back(at::stack(rows));
    }
    return stacked;
}

/// Calls the body with `carried`, a row of each tensor that argument `over` lists, and the values behind
/// that. What it returns first is carried on.
IValue looped(const Call& call, Values carried, std::size_t over) {
    const ir::GraphPtr body = call.graph(0);
    const Values tensors = call.values(over);
    const Values others = call.valuesIfAny(over + 1);
    std::vector<Values> steps;
    const std::int64_t length = commonLength(tensors, call.node.target);
    for (std::int64_t i = 0; i < length; ++i) {
        Values step = call.run(body, joined(joined(carried, rowsAt(tensors, i)), others));
        if (step.size() < carried.size()) {
            fail("run.arguments", "A step of scan returns fewer values than it carries.");
        }
        std::copy_n(step.begin(), carried.size(), carried.begin());
        steps.push_back(std::move(step));
    }
    const std::size_t count = carried.size();
    return tuple(joined(std::move(carried), stackSteps(steps, count)));
}

IValue map(const Call& call) {
    return looped(call, {}, 1);
}

IValue associativeScan(const Call& call) {
    const ir::GraphPtr combine = call.graph(0);
    const Values over = call.values(1);
    const Values others = call.valuesIfAny(2);
    const std::int64_t length = commonLength(over, call.node.target);
    std::vector<Values> steps;
    for (std::int64_t i = 0; i < length; ++i) {
        Values row = rowsAt(over, i);
        steps.push_back(i == 0 ? std::move(row)
                               : call.run(combine, joined(joined(steps.back(), row), others)));
    }
    return tuple(stackSteps(steps, 0));
}

IValue runOnList(const Call& call) {
    return tuple(call.run(call.graph(0), call.values(1)));
}

IValue print(const Call& call, std::size_t first) {
    const IValue format = call.node.args.size() > first ? call.value(first) : IValue();
    call.executor.context().note("The graph prints " +
                                 (format.isString() ? '"' + format.toStringRef() + '"' : "") + ".");
    return {};
}

IValue withEffects(const Call& call) {
    const IValue token = call.value(0);
    if (const ir::GraphPtr nested = ir::bodyOf(call.frame.graph, call.argument(1))) {
        return tuple(joined({token}, call.run(nested, call.rest(2))));
    }
    const std::string target = call.op(1);
    if (ir::isHigherOrder(target, ir::HigherOrder::Print)) {
        print(call, 2);
        return tuple({token, IValue()});
    }
    if (ir::isHigherOrder(target)) {
        // with_effects(token, invoke_subgraph, subgraph, identifier, *operands).
        return tuple(joined({token}, call.run(call.graph(2), call.rest(4))));
    }
    const IValue result =
        findOperator(target)
            ? call.executor.call(target, call.rest(2), keywordValues(call.node.kwargs, call.frame),
                                 call.frame, call.id)
            : standIn(target, call.frame, call.id, 1);
    return tuple(joined({token}, result.isTuple() ? elementsOf(result) : Values{result}));
}

IValue callInner(const Call& call, std::size_t opIndex) {
    NamedValues kwargs = keywordValues(call.node.kwargs, call.frame);
    std::erase_if(kwargs, [](const auto& kwarg) { return kwarg.first == "rng_state"; });
    return call.executor.call(call.op(opIndex), call.rest(opIndex + 1), kwargs, call.frame, call.id);
}

IValue runAndSaveState(const Call& call) {
    IValue state = cpuGeneratorState();
    return tuple({std::move(state), callInner(call, 0)});
}

IValue runWithState(const Call& call) {
    const at::Tensor state = tensorArgument(call.value(0));
    const at::Tensor current = cpuGeneratorState();
    if (state.numel() != current.numel() || state.scalar_type() != current.scalar_type()) {
        // The CPU generator cannot take the state of another device, so its own stream is used.
        call.executor.context().note("Random states logged on another device are replaced by the run's own.");
        return callInner(call, 1);
    }
    const auto restored = c10::make_scope_exit([&] { setCpuGeneratorState(current); });
    setCpuGeneratorState(state);
    return callInner(call, 1);
}

IValue runWithGivenState(const Call& call) {
    call.executor.context().note("Random states handed to the graph are replaced by the run's own.");
    return callInner(call, 0);
}

IValue outDtype(const Call& call) {
    Values args = call.rest(2);
    for (IValue& arg : args) {
        if (arg.isTensor()) {
            arg = tensorArgument(arg).to(dtypeArgument(call.value(1)));
        }
    }
    return call.executor.call(call.op(0), std::move(args), {}, call.frame, call.id);
}

using HigherOrderFunction = IValue (*)(const Call&);

/// Those that do more than to wrap a body.
constexpr std::pair<ir::HigherOrder, HigherOrderFunction> higherOrderTable[] = {
    {ir::HigherOrder::Cond, cond},
    {ir::HigherOrder::WhileLoop, whileLoop},
    {ir::HigherOrder::MapImpl, map},
    {ir::HigherOrder::Map, map},
    {ir::HigherOrder::Scan, [](const Call& call) { return looped(call, call.values(1), 2); }},
    {ir::HigherOrder::AssociativeScan, associativeScan},
    {ir::HigherOrder::InvokeSubgraph,
     [](const Call& call) { return tuple(call.run(call.graph(0), call.rest(2))); }},
    {ir::HigherOrder::WithEffects, withEffects},
    {ir::HigherOrder::Print, [](const Call& call) { return print(call, 0); }},
    {ir::HigherOrder::RunAndSaveRngState, runAndSaveState},
    {ir::HigherOrder::RunWithRngState, runWithState},
    {ir::HigherOrder::GraphsafeRunWithRngState, runWithGivenState},
    {ir::HigherOrder::OutDtype, outDtype},
    {ir::HigherOrder::StrictMode, runOnList},
    {ir::HigherOrder::HintsWrapper, runOnList},
    {ir::HigherOrder::AutoFunctionalized, autoFunctionalized},
    {ir::HigherOrder::AutoFunctionalizedV2, autoFunctionalizedV2},
    {ir::HigherOrder::FlexAttention, flexAttention},
    {ir::HigherOrder::FlexAttentionBackward, flexAttentionBackward},
};

} // namespace

const ir::Argument& HigherOrderCall::argument(std::size_t index) const {
    if (index >= node.args.size()) {
        fail("run.arguments", node.target + " has fewer than " + std::to_string(index + 1) + " arguments.");
    }
    return node.args[index];
}

Values HigherOrderCall::values(std::size_t index) const {
    return elementsOf(value(index));
}

Values HigherOrderCall::valuesIfAny(std::size_t index) const {
    return index < node.args.size() ? values(index) : Values();
}

Values HigherOrderCall::rest(std::size_t first) const {
    return argumentValues(std::span(node.args).subspan(std::min(first, node.args.size())), frame);
}

ir::GraphPtr HigherOrderCall::graph(const ir::Argument& argument) const {
    ir::GraphPtr body = ir::bodyOf(frame.graph, argument);
    if (!body) {
        fail("run.arguments", "The subgraph that " + node.target + " should run is not in the log.");
    }
    return body;
}

std::string HigherOrderCall::op(std::size_t index) const {
    const auto* named = argument(index).as<ir::OperatorArgument>();
    if (named == nullptr) {
        fail("run.arguments",
             node.target + " needs an operator as its argument " + std::to_string(index + 1) + ".");
    }
    return named->target;
}

IValue callHigherOrder(Executor& executor, const Frame& frame, ir::NodeId id) {
    const ir::Node& node = frame.graph.node(id);
    const Call call{executor, frame, id, node};
    const ir::HigherOrderOperator* called = ir::tryHigherOrder(node.target);
    if (called != nullptr && called->wraps) {
        return tuple(call.run(call.graph(*called->wraps), call.rest(*called->wraps + 1)));
    }
    for (const auto& [known, compute] : higherOrderTable) {
        if (called != nullptr && called->id == known) {
            return compute(call);
        }
    }
    fail("run.unsupported_higher_order",
         "The higher-order operator " + std::string(ir::splitTarget(node.target).name) +
             " cannot be run here.",
         "Run a graph of the same compile without it, for instance the forward graph.");
}

} // namespace aotscope::torch
