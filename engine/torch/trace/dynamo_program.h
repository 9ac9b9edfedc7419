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

/// A Dynamo graph (or a pre-dispatch ATen graph) as a function to trace: interprets it, notes the source of
/// each node, and carries out the higher-order operators that a trace looks through.
class DynamoProgram {
public:
    DynamoProgram(ir::GraphPtr graph, ProgramPosition& position, base::Progress progress);

    /// Tensors the graph reads as attributes of its module, in order of first use: its first inputs
    /// (aot_module lifts parameters and buffers in front of the others).
    [[nodiscard]] const std::vector<ir::NodeId>& attributes() const { return m_attributes; }

    /// Puts parameters in front of buffers, as named_parameters and named_buffers list them.
    void orderAttributes(const std::function<bool(const ir::Node& attribute)>& isBuffer);

    /// What the program asserts of numbers: `torch._check` and what Dynamo adds.
    [[nodiscard]] std::vector<ir::SymExpr> assertedRelations() const;

    /// Checkpointed functions were tagged in the process before (`ac_graph_id` counts on).
    void continueCheckpoints(std::int64_t tagged) { m_checkpoints = tagged; }

    /// Called before each node, also of graphs inside, with the unbacked symbols its logged value shows.
    std::function<void(const ir::Node& node, const std::set<std::string>& unbackedSymbols)> onNode;

    /// Called with each call of a function or method, its arguments computed, before it is made.
    std::function<void(const ops::NodeCall& call)> onCall;

    /// Runs the graph on outer tensors and numbers, attributes first; returns its flat outputs.
    [[nodiscard]] std::vector<c10::IValue> operator()(std::vector<c10::IValue> inputs);

private:
    [[nodiscard]] std::optional<ops::Value> intercept(const ops::NodeCall& call);
    [[nodiscard]] ops::Value checkpoint(const ops::NodeCall& call);
    [[nodiscard]] ops::Value applyFunction(const ops::NodeCall& call);
    void enterNode(const ir::Graph& graph, ir::NodeId node);

    ir::GraphPtr m_graph;
    ProgramPosition& m_position;
    base::Progress m_progress;
    ops::Interpreter m_interpreter;
    std::vector<ir::NodeId> m_attributes;
    /// Their values in the run that is under way, by name.
    std::map<std::string, ops::Value, std::less<>> m_attributeValues;
    /// Regions of activation checkpointing entered so far in the process, and the one the program is in (0:
    /// none).
    std::int64_t m_checkpoints = 0;
    std::int64_t m_checkpoint = 0;
};

} // namespace aotscope::torch
