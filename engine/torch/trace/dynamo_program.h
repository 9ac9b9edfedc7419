#pragma once

#include "ops/interpreter.h"
#include "trace/program_position.h"
#include "trace/traced_program.h"

#include "base/progress.h"

#include <functional>
#include <map>
#include <set>
#include <string>

namespace aotscope::torch {

/// A Dynamo graph (or a pre-dispatch ATen graph) as a function to trace: interprets it, reports the origin of
/// each node, and inlines the higher-order operators that AOTAutograd traces through (activation checkpoints,
/// autograd functions, hooks of tensors). `position` must outlive it.
class DynamoProgram {
public:
    DynamoProgram(ir::GraphPtr graph, ProgramPosition& position, base::Progress progress,
                  const aot::TraceRules& rules);

    /// The get_attr nodes of tensors, in order of first use. They are the first inputs of the function: torch
    /// 2.11, torch/_functorch/aot_autograd.py: aot_module_simplified, lifts parameters and buffers in front
    /// of the others.
    [[nodiscard]] const std::vector<ir::NodeId>& attributes() const { return m_attributes; }

    /// Puts parameters in front of buffers, as named_parameters and named_buffers list them.
    void orderAttributes(const std::function<bool(const ir::Node& attribute)>& isBuffer);

    /// The relations of symbols that the program asserts: by `torch._check`, and those that Dynamo adds.
    [[nodiscard]] std::vector<ir::SymExpr> assertedRelations() const;

    /// Sets how many checkpointed functions the process tagged before: `ac_graph_id` continues from there.
    void continueCheckpoints(std::int64_t tagged) { m_checkpoints = tagged; }

    /// Called before each node, those of nested graphs included, with the unbacked symbols in its logged
    /// value.
    std::function<void(const ir::Node& node, const std::set<std::string>& unbackedSymbols)> onNode;

    /// Called before each call of a function or method, with its argument values.
    std::function<void(const ops::NodeCall& call)> onCall;

    /// The graph may return any Python value: its flat outputs are then the tensors and symbolic numbers in
    /// it, and `returned` says where.
    void keepTree() { m_keepsTree = true; }
    /// What the last run returned (ReturnedTree::tree).
    [[nodiscard]] const ir::Argument& returned() const { return m_returned; }

    /// Runs the graph on outer tensors and numbers, attributes first; returns its flat outputs.
    [[nodiscard]] std::vector<c10::IValue> operator()(std::vector<c10::IValue> inputs);

private:
    [[nodiscard]] std::optional<ops::Value> intercept(const ops::NodeCall& call);
    [[nodiscard]] ops::Value checkpoint(const ops::NodeCall& call);
    [[nodiscard]] ops::Value applyFunction(const ops::NodeCall& call);
    [[nodiscard]] ops::Value registerHook(const ops::NodeCall& call);
    void enterNode(const ir::Graph& graph, ir::NodeId node);

    ir::GraphPtr m_graph;
    ProgramPosition& m_position;
    base::Progress m_progress;
    ops::Interpreter m_interpreter;
    std::vector<ir::NodeId> m_attributes;
    /// The values of the attributes in the current run, by name.
    std::map<std::string, ops::Value, std::less<>> m_attributeValues;
    /// The number of activation checkpointing regions entered in the process so far, and the current one (0:
    /// none).
    std::int64_t m_checkpoints = 0;
    std::int64_t m_checkpoint = 0;
    bool m_keepsTree = false;
    ir::Argument m_returned;
    /// Whether the body of a tensor's hook runs. Its nodes get the origin of the backward around them.
    bool m_isInHook = false;
};

} // namespace aotscope::torch
