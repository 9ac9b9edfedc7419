#pragma once

#include "trace/graph_capture.h"
#include "trace/tracer.h"

#include <string_view>
#include <vector>

namespace aotscope::torch {

/// How often an input was mutated so far, by kind of mutation. Follows torch 2.11,
/// torch/_functorch/_aot_autograd/graph_capture_wrappers.py: MutationCounters.
struct MutationCounters {
    std::int64_t data = 0;
    std::int64_t storage = 0;
    std::int64_t resized = 0;
    friend bool operator==(const MutationCounters&, const MutationCounters&) = default;
};

[[nodiscard]] MutationCounters countersOf(const at::Tensor& functional);

/// One capture: the placeholders, the functional arguments and the epilogue that writes mutated inputs back.
/// Follows torch 2.11, torch/_functorch/_aot_autograd/graph_capture_wrappers.py: create_functionalized_fn.
class Capture {
public:
    Capture(const std::vector<TracedInput>& inputs, CollectedMetadata& metadata,
            const CaptureContext& context);

    /// Adds a placeholder for each input, and one before them for a token where the program needs it.
    /// `makesToken`: a node makes the token instead.
    void addPlaceholders(std::string_view prefix, std::string_view suffix, std::size_t firstNumber,
                         bool makesToken = false);
    void addTangents();
    /// Takes the token that the operators with effects left behind, of a program that has such; the next of
    /// them would need another. Undefined: there is none.
    [[nodiscard]] at::Tensor takeToken();
    void makeFunctional();
    /// The fake tensors to return for outer tensors. An output that is an input mutated in the graph becomes
    /// that input's placeholder.
    [[nodiscard]] std::vector<c10::IValue> outputs(const std::vector<c10::IValue>& values) const;
    /// Ends the capture: removes dead nodes and returns the graph.
    [[nodiscard]] ir::GraphBuilder finish();
    /// Runs the program and records its symbolic arithmetic at once, used later or not.
    [[nodiscard]] std::vector<c10::IValue> run(const TracedProgram& program,
                                               std::vector<c10::IValue> arguments);
    /// Writes an input's final value back inside the graph (apply_in_graph_mutations). With counters, only
    /// mutations counted after `applied` are written.
    void applyMutations(std::size_t index, const at::Tensor& after, const MutationCounters* now,
                        const MutationCounters* applied);

    const std::vector<TracedInput>& m_inputs;
    const CaptureContext& m_context;
    CollectedMetadata& m_metadata;
    GraphRecorder m_recorder;
    Tracer m_tracer;
    TraceScope m_scope;
    /// The inputs as fake tensors before any mutation, and as outer tensors.
    std::vector<c10::IValue> m_before;
    std::vector<c10::IValue> m_functional;
    /// The tangents as outer tensors, and as fake tensors before the backward.
    std::vector<at::Tensor> m_tangents;
    std::vector<at::Tensor> m_tangentsBefore;
};

} // namespace aotscope::torch
