#pragma once

#include "run/executor.h"
#include "stepping/caller_state.h"
#include "stepping/graph_passage.h"
#include "wrappers/call_recorder.h"

#include "aot/compiled_function.h"
#include "kernels/fusion_plan.h"
#include "steps/step_controller.h"

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::torch {

/// Lets a person step through a call forward and back in time. Going back ends the passage through the call
/// with an exception, restores the caller's state, and goes through the call again up to the event: nodes
/// before the nearest checkpoint are not recomputed. Memory that an operator leaves uninitialized
/// (`torch.empty`) is filled with zeros, or no passage would repeat another.
class CallStepper final : private NodeObserver {
public:
    /// Watches through `recorder`. All references must outlive it.
    CallStepper(const steps::StepPauses& pauses, const aot::CompiledFunction& function,
                const CallerTensors& callers, CallRecorder& recorder);
    ~CallStepper() override;

    /// Calls `pass`, which makes the whole call on the caller's tensors, as often as a person goes back.
    /// Throws what `pass` throws, Canceled, RunFailure.
    void run(const std::function<void()>& pass);

private:
    /// Ends a passage.
    struct GoBack;

    // Events
    void before(std::size_t event);
    void settle(std::size_t event);
    void noteRepetition(std::size_t event, const c10::IValue& result);
    [[nodiscard]] std::vector<std::string> writtenSince();
    [[nodiscard]] bool onlyCounts(std::size_t event) const;
    void protectGradient(std::size_t event);
    void nameKernels(bool wanted);
    [[nodiscard]] std::string kernelOf(const steps::CallEvent& event);

    // Pauses
    [[nodiscard]] std::optional<steps::StepMove> answered(std::size_t next,
                                                          const std::optional<std::string>& failure);
    void decide(std::size_t next);
    [[nodiscard]] bool standsAtEnd(const std::exception_ptr& failure);
    [[nodiscard]] steps::StepMove ask(std::size_t next, const std::string& reason,
                                      const std::string& refused);
    [[nodiscard]] steps::KnownEvents known() const;

    std::size_t begun(Frame& frame, std::vector<c10::IValue>& inputs) override;
    void started(ir::NodeId node) override;
    void finished(ir::NodeId node, c10::IValue& result, std::int64_t nanoseconds) override;
    void released(ir::NodeId node, const c10::IValue& value) override;
    void ended() override;

    const steps::StepPauses& m_pauses;
    const aot::CompiledFunction& m_function;
    const CallerTensors& m_callers;
    CallRecorder& m_recorder;
    CallerState m_start;
    TensorSummaries m_summaries;
    Checkpoints m_checkpoints;
    GraphPassage m_graphs;
    steps::StepController m_controller;
    /// The fused kernels that the nodes of each half would be parts of, planned when its first is looked up.
    std::map<steps::EventKind, kernels::KernelOfNode> m_kernels;
    bool m_namesKernels = false;

    /// One per event that was announced; complete for those that have run.
    std::vector<steps::EventFacts> m_facts;
    std::size_t m_settled = 0;
    /// Hashes of the results of nodes, by event.
    std::vector<std::optional<std::uint64_t>> m_fingerprints;
    std::vector<std::string> m_notes;
    bool m_complete = false;
    bool m_hasPaused = false;
    std::string m_lastReason;
    /// The event that runs, and the node if it is one.
    std::size_t m_current = 0;
    std::optional<ir::NodeId> m_node;
    /// Version counters of the arguments after the event before.
    std::vector<std::uint32_t> m_versions;
    /// Arguments that the running node writes to, by index.
    std::vector<std::size_t> m_writtenByNode;
};

} // namespace aotscope::torch
