#include "trace/dynamo_program.h"

#include "base/mapped.h"
#include "decompositions/before_autograd.h"
#include "dispatch/failure.h"
#include "ops/compiled_autograd.h"
#include "run/execution/executor.h"
#include "trace/graph_function.h"
#include "trace/graph_recorder.h"
#include "trace/returned_tree.h"

#include "base/crash_note.h"
#include "ir/bodies.h"
#include "ir/higher_order.h"
#include "ir/operator_name.h"
#include "ir/used_symbols.h"

#include <c10/core/GradMode.h>
#include <c10/util/ScopeExit.h>

#include <algorithm>
#include <set>

namespace aotscope::torch {

namespace {

using ops::Value;
using ops::Values;

/// The derivative formula that compiled autograd calls, by the rules of the trace.
Value runAutogradNode(std::string_view name, const Values& args) {
    auto* taker = dynamic_cast<BeforeAutograd*>(KernelContext::current().beforeAutograd);
    std::optional<LibTorchCode> running;
    if (taker != nullptr) {
        running.emplace(taker->exchanged(), name);
    }
    return ops::callAutogradNode(name, args);
}

c10::IValue outputValue(const Value& value) {
    if (value.isTensor()) {
        return value.tensor();
    }
    if (value.isNone()) {
        return {};
    }
    if (const auto* flag = value.as<bool>()) {
        return *flag;
    }
    if (const auto* integer = value.as<c10::SymInt>()) {
        return integer->is_symbolic() ? c10::IValue(*integer) : c10::IValue(integer->expect_int());
    }
    if (const auto* real = value.as<c10::SymFloat>()) {
        return real->is_symbolic() ? c10::IValue(*real) : c10::IValue(real->as_float_unchecked());
    }
    fail("trace.output",
         "The graph returns a value of type " + value.typeName() + ", which no graph can hold.");
}

const ops::GraphReference& graphArgument(const ops::NodeCall& call, std::size_t index) {
    const ops::GraphReference* graph =
        index < call.args.size() ? call.args[index].as<ops::GraphReference>() : nullptr;
    if (graph == nullptr || !graph->graph) {
        fail("trace.higher_order", "The node " + call.info().name + " calls " + call.info().target +
                                       " without a graph as argument " + std::to_string(index) + ".");
    }
    return *graph;
}

Values flattened(const Value& value) {
    if (value.isSequence()) {
        return Values(value.items().begin(), value.items().end());
    }
    return {value};
}

std::vector<at::Tensor> tensorsOf(const Values& values) {
    return base::mapped(values,
                        [](const Value& value) { return value.isTensor() ? value.tensor() : at::Tensor(); });
}

/// The positions of the tensors among values.
std::vector<std::size_t> tensorPlaces(const Values& values) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i].isTensor()) {
            places.push_back(i);
        }
    }
    return places;
}

Values itemsAt(const Values& values, const std::vector<std::size_t>& places) {
    return base::mapped(places, [&](const std::size_t place) { return values.at(place); });
}

std::vector<std::int64_t> indexList(const ops::NodeCall& call, std::string_view name) {
    std::vector<std::int64_t> indices;
    for (const auto& [key, value] : call.kwargs) {
        if (key == name) {
            for (const Value& item : value.items()) {
                indices.push_back(item.integer());
            }
        }
    }
    return indices;
}

std::set<std::string> unbackedSymbols(const ir::Node& node) {
    std::set<std::string> symbols;
    ir::addSymbols(node.value, symbols);
    std::erase_if(symbols, [](const std::string& symbol) { return !ir::isUnbackedSymbol(symbol); });
    return symbols;
}

} // namespace

DynamoProgram::DynamoProgram(ir::GraphPtr graph, ProgramPosition& position, base::Progress progress,
                             const aot::TraceRules& rules)
    : m_graph(std::move(graph)),
      m_position(position),
      m_progress(std::move(progress)),
      m_interpreter(rules, [this] {
          ops::InterpreterHooks hooks;
          hooks.intercept = [this](const ops::NodeCall& call) { return intercept(call); };
          hooks.before = [this](const ir::Graph& nodes, ir::NodeId node) { enterNode(nodes, node); };
          hooks.attribute = [this](const ir::Graph& nodes, ir::NodeId node) {
              const auto found = m_attributeValues.find(nodes.node(node).target);
              if (found == m_attributeValues.end()) {
                  fail("trace.attribute", "The node " + nodes.node(node).name + " reads the attribute " +
                                              nodes.node(node).target + ", whose value is not known.");
              }
              return found->second;
          };
          return hooks;
      }()) {
    std::set<std::string_view> seen;
    for (const ir::NodeId id : m_graph->order()) {
        const ir::Node& node = m_graph->node(id);
        if (node.op == ir::Opcode::GetAttr && !ir::bodyOf(*m_graph, node) &&
            ir::asTensor(node.value) != nullptr && seen.insert(node.target).second) {
            m_attributes.push_back(id);
        }
    }
}

void DynamoProgram::orderAttributes(const std::function<bool(const ir::Node& attribute)>& isBuffer) {
    std::stable_partition(m_attributes.begin(), m_attributes.end(),
                          [&](ir::NodeId id) { return !isBuffer(m_graph->node(id)); });
}

std::vector<ir::SymExpr> DynamoProgram::assertedRelations() const {
    static const std::set<std::string_view> asserting = {"_assert_scalar", "_check", "_check_value"};
    std::vector<ir::SymExpr> relations;
    for (const ir::NodeId id : m_graph->order()) {
        const ir::Node& node = m_graph->node(id);
        std::string_view name = node.target;
        name.remove_suffix(name.ends_with(".default") ? std::string_view(".default").size() : 0);
        if (node.args.empty() || !asserting.contains(ir::lastPart(name))) {
            continue;
        }
        const ir::NodeId* condition = node.args.front().as<ir::NodeId>();
        const auto* asserted =
            condition == nullptr ? nullptr : std::get_if<ir::SymbolicMeta>(&m_graph->node(*condition).value);
        if (asserted != nullptr) {
            relations.push_back(asserted->expression);
        }
    }
    return relations;
}

std::vector<c10::IValue> DynamoProgram::operator()(std::vector<c10::IValue> inputs) {
    m_attributeValues.clear();
    for (std::size_t i = 0; i < m_attributes.size(); ++i) {
        m_attributeValues[m_graph->node(m_attributes[i]).target] = ops::fromIValue(inputs.at(i), false);
    }
    Values values;
    for (std::size_t i = m_attributes.size(); i < inputs.size(); ++i) {
        values.push_back(ops::fromIValue(inputs[i], false));
    }
    const Value result = m_interpreter.run(*m_graph, std::move(values));
    if (m_keepsTree) {
        ReturnedTree returned = returnedTree(result);
        m_returned = std::move(returned.tree);
        if (GraphRecorder* recorder = m_position.recorder()) {
            for (const auto& [place, number] : returned.numbers) {
                recorder->returnAsComputed(place, number);
            }
        }
        return std::move(returned.outputs);
    }
    return base::mapped(flattened(result), [&](const Value& output) { return outputValue(output); });
}

void DynamoProgram::enterNode(const ir::Graph& graph, ir::NodeId id) {
    if (m_progress.stopRequested()) {
        throw Canceled{};
    }
    const ir::Node& node = graph.node(id);
    if (onNode) {
        onNode(node, unbackedSymbols(node));
    }
    if (base::mayCrash()) {
        base::noteRunning(node.name + " = " + node.target + " of Dynamo's graph");
    }
    if (m_isInHook) {
        return;
    }
    if (m_checkpoint == 0 || node.op == ir::Opcode::Placeholder || node.op == ir::Opcode::Output ||
        node.op == ir::Opcode::GetAttr) {
        m_position.enter(node, node.origin, node.origin);
        return;
    }
    auto tagged = std::make_shared<ir::NodeOrigin>(node.origin ? *node.origin : ir::NodeOrigin{});
    tagged->recompute = "PREFER_RECOMPUTE";
    tagged->acGraphId = m_checkpoint;
    m_position.enter(node, std::move(tagged), node.origin);
}

std::optional<Value> DynamoProgram::intercept(const ops::NodeCall& call) {
    if (onCall) {
        onCall(call);
    }
    const std::string& target = call.info().target;
    if (const auto node = ops::autogradNodeOf(target); node && call.kwargs.empty()) {
        return runAutogradNode(*node, call.args);
    }
    if (!ir::isHigherOrder(target)) {
        return std::nullopt;
    }
    if (ir::isHigherOrder(target, ir::HigherOrder::TagActivationCheckpoint)) {
        return checkpoint(call);
    }
    if (ir::isHigherOrder(target, ir::HigherOrder::AutogradFunctionApply)) {
        return applyFunction(call);
    }
    if (ir::isHigherOrder(target, ir::HigherOrder::RegisterHook)) {
        return registerHook(call);
    }
    fail("trace.higher_order",
         "The node " + call.info().name + " calls the higher-order operator torch.ops." + target +
             ", which is not traced yet.",
         "The logged graphs can still be viewed.");
}

Value DynamoProgram::checkpoint(const ops::NodeCall& call) {
    const ir::GraphPtr body = graphArgument(call, 0).graph;
    const std::int64_t outer = std::exchange(m_checkpoint, ++m_checkpoints);
    const auto leave = c10::make_scope_exit([&] { m_checkpoint = outer; });
    return m_interpreter.run(*body, Values(call.args.begin() + 1, call.args.end()));
}

Value DynamoProgram::applyFunction(const ops::NodeCall& call) {
    const ir::GraphPtr forward = graphArgument(call, 0).graph;
    const ir::GraphPtr backward = graphArgument(call, 1).graph;
    auto calls = std::make_shared<GraphFunctionCalls>();
    auto saved = std::make_shared<Values>();
    // Inputs and outputs may include sizes; autograd sees only the tensors, with one gradient each.
    auto outputs = std::make_shared<Values>();
    const Values arguments(call.args.begin() + 2, call.args.end());
    const std::vector<std::size_t> taken = tensorPlaces(arguments);
    const std::vector<std::int64_t> constant = indexList(call, "non_differentiable_idx");
    const std::vector<std::int64_t> dirty = indexList(call, "dirty_idx");
    const std::vector<std::int64_t> checked = indexList(call, "saved_for_backward_idx");
    calls->forward = [&](const std::vector<at::Tensor>& tensors) {
        Values values = arguments;
        for (std::size_t i = 0; i < taken.size(); ++i) {
            values[taken[i]] = tensors[i];
        }
        const bool grad = c10::GradMode::is_enabled();
        const Value result = m_interpreter.run(*forward, std::move(values));
        c10::GradMode::set_enabled(grad);
        if (!result.isSequence() || result.items().size() != 2) {
            fail("trace.higher_order",
                 "The forward of an autograd function returns no outputs and saved values.");
        }
        *outputs = flattened(result.items()[0]);
        *saved = flattened(result.items()[1]);
        for (std::size_t i = 0; i < saved->size(); ++i) {
            const auto index = static_cast<std::int64_t>(i);
            if ((*saved)[i].isTensor() && std::find(checked.begin(), checked.end(), index) == checked.end()) {
                m_position.noteUncheckedSave((*saved)[i].tensor());
            }
        }
        std::vector<at::Tensor> differentiated;
        for (const std::size_t place : tensorPlaces(*outputs)) {
            const auto note = [&](const std::vector<std::int64_t>& marked, std::vector<std::int64_t>& noted) {
                if (std::ranges::find(marked, static_cast<std::int64_t>(place)) != marked.end()) {
                    noted.push_back(static_cast<std::int64_t>(differentiated.size()));
                }
            };
            note(constant, calls->nonDifferentiable);
            note(dirty, calls->dirty);
            differentiated.push_back((*outputs)[place].tensor());
        }
        return differentiated;
    };
    calls->backward = [this, backward, saved, outputs, taken](const std::vector<at::Tensor>& gradients) {
        const std::vector<std::size_t> places = tensorPlaces(*outputs);
        Values values(outputs->size());
        for (std::size_t i = 0; i < places.size(); ++i) {
            values[places[i]] = gradients.at(i);
        }
        values.insert(values.end(), saved->begin(), saved->end());
        const bool grad = c10::GradMode::is_enabled();
        const auto origin = m_position.recordedOrigin();
        const ir::PartitionerTag tag = m_position.exchangeTag(ir::PartitionerTag::None);
        const Value result = m_interpreter.run(*backward, std::move(values));
        m_position.exchangeTag(tag);
        m_position.restore(origin);
        c10::GradMode::set_enabled(grad);
        return tensorsOf(itemsAt(flattened(result), taken));
    };
    const std::vector<at::Tensor> made = applyGraphFunction(calls, tensorsOf(itemsAt(arguments, taken)));
    Values results = *outputs;
    const std::vector<std::size_t> places = tensorPlaces(results);
    for (std::size_t i = 0; i < places.size(); ++i) {
        results[places[i]] = made.at(i);
    }
    return Value::tuple(std::move(results));
}

/// The body takes the gradient and what it closes over, and returns the new gradient. Follows torch 2.15,
/// torch/_higher_order_ops/register_hook.py: RegisterHookOp.
Value DynamoProgram::registerHook(const ops::NodeCall& call) {
    const ir::GraphPtr body = graphArgument(call, 1).graph;
    const Value& hooked = call.args.front();
    if (!hooked.isTensor()) {
        fail("trace.higher_order", "The node " + call.info().name + " hooks a value of type " +
                                       hooked.typeName() + ", which has no gradient.");
    }
    hooked.tensor().register_hook(
        [this, body, closure = Values(call.args.begin() + 2, call.args.end())](const at::Tensor& gradient) {
            Values values = {gradient};
            values.insert(values.end(), closure.begin(), closure.end());
            const bool grad = c10::GradMode::is_enabled();
            const bool outer = std::exchange(m_isInHook, true);
            const auto leave = c10::make_scope_exit([&] {
                m_isInHook = outer;
                c10::GradMode::set_enabled(grad);
            });
            const Values changed = flattened(m_interpreter.run(*body, std::move(values)));
            return changed.size() == 1 && changed.front().isTensor() ? changed.front().tensor() : gradient;
        });
    return hooked;
}

} // namespace aotscope::torch
