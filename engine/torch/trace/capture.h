#pragma once

#include "trace/graph_capture.h"
#include "trace/tracer.h"

#include <string_view>
#include <vector>

namespace aotscope::torch {

/// How often and in which ways an input was mutated so far.
struct MutationCounters {
    std::int64_t data = 0;
    std::int64_t storage = 0;
    std::int64_t resized = 0;
    friend bool operator==(const MutationCounters&, const MutationCounters&) = default;
};

[[nodiscard]] MutationCounters countersOf(const at::Tensor& functional);

/// One capture: placeholders, functional arguments and the epilogue that writes mutated inputs back.
class Capture {
public:
    Capture(const std::vector<TracedInput>& inputs, CollectedMetadata& metadata,
            const CaptureContext& context);

    void addPlaceholders(std::string_view prefix, std::string_view suffix, std::size_t firstNumber);
    void addTangents();
    void makeFunctional();
    /// What the graph returns for outer tensors; an input whose mutation stays in the graph is itself.
    [[nodiscard]] std::vector<c10::IValue> outputs(const std::vector<c10::IValue>& values) const;
    /// The graph without what nothing uses.
    [[nodiscard]] ir::Graph finish();
    /// Runs the program; its own arithmetic on symbols is recorded as it happens.
    [[nodiscard]] std::vector<c10::IValue> run(const TracedProgram& program,
                                               std::vector<c10::IValue> arguments);
    void applyMutations(std::size_t index, const at::Tensor& after, const MutationCounters* now,
                        const MutationCounters* applied);

    const std::vector<TracedInput>& m_inputs;
    const CaptureContext& m_context;
    CollectedMetadata& m_metadata;
    GraphRecorder m_recorder;
    Tracer m_tracer;
    TraceScope m_scope;
    /// Inputs as fake tensors (before), and as outer tensors.
    std::vector<c10::IValue> m_before;
    std::vector<c10::IValue> m_functional;
    std::vector<at::Tensor> m_tangents;
};

} // namespace aotscope::torch
