#include "stepping/call_stepper.h"

#include "base/mapped.h"
#include "dispatch/failure.h"
#include "dispatch/handled_error.h"
#include "run/execution/executor.h"
#include "run/execution/generator_seed.h"
#include "run/state/value_access.h"
#include "stepping/caller_state.h"
#include "stepping/elements_hash.h"
#include "stepping/graph_passage.h"
#include "stepping/pause_values.h"

#include "kernels/fusion_plan.h"
#include "steps/step_controller.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace aotscope::torch {

namespace {

/// How many elements of a recomputed result are compared with the first one.
constexpr std::int64_t comparedElements = 4096;
/// A way forward that is not shorter than this goes through a checkpoint where there is one.
constexpr std::size_t longWay = 64;

std::vector<std::uint32_t> versionsOf(const std::vector<at::Tensor>& tensors) {
    return base::mapped(tensors,
                        [](const at::Tensor& tensor) { return tensor.defined() ? versionOf(tensor) : 0; });
}

std::string textOf(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception&) {
        return firstLine(handledError("call.failed").message);
    }
}

class CallStepper final : private NodeObserver {
public:
    CallStepper(const steps::StepPauses& pauses, const aot::CompiledFunction& function,
                const CallerTensors& callers, CallRecorder& recorder)
        : m_pauses(pauses),
          m_function(function),
          m_callers(callers),
          m_recorder(recorder),
          m_start(callers, function),
          m_checkpoints(pauses.checkpointLimit, m_start),
          m_graphs(m_checkpoints, m_summaries, m_start),
          m_controller(pauses) {
        nameKernels(pauses.byFusedKernel);
        m_recorder.beforeEvent = [this](std::size_t event) { before(event); };
        m_recorder.watchNodes(this);
    }

    ~CallStepper() override {
        m_recorder.beforeEvent = nullptr;
        m_recorder.watchNodes(nullptr);
    }

    /// Calls `pass` as often as a person goes back.
    void run(const std::function<void()>& pass) {
        for (;;) {
            m_versions = versionsOf(m_callers.arguments);
            try {
                pass();
                if (!standsAtEnd(nullptr)) {
                    return;
                }
            } catch (const GoBack&) {
                // Continues below.
            } catch (const Canceled&) {
                throw;
            } catch (...) {
                m_graphs.restart(); // The frame is gone.
                m_node.reset();
                if (!standsAtEnd(std::current_exception())) {
                    throw;
                }
            }
            m_start.restore();
            m_start.forEachCopied([this](const c10::StorageImpl* storage) { m_summaries.forget(storage); });
            m_recorder.rewind();
            m_graphs.restart();
            m_node.reset();
        }
    }

private:
    /// A standard exception, because autograd keeps its own state intact only for those.
    struct GoBack : std::exception {};

    steps::KnownEvents known() const { return {m_recorder.record().events, m_facts, m_complete}; }

    // Events

    void before(std::size_t event) {
        if (event > 0) {
            settle(event - 1);
        }
        if (event == m_facts.size()) {
            m_facts.emplace_back();
            m_fingerprints.emplace_back();
            if (m_node) {
                m_facts.back().origin = m_graphs.frame()->graph.node(*m_node).origin;
            }
            if (m_namesKernels) {
                m_facts.back().kernel = kernelOf(m_recorder.record().events[event]);
            }
        }
        decide(event);
        m_current = event;
        protectGradient(event);
        if (m_node) {
            for (const c10::StorageImpl* storage : m_graphs.beforeRun(*m_node)) {
                for (std::size_t i = 0; i < m_callers.arguments.size(); ++i) {
                    if (storageIn(m_callers.arguments[i]) == storage) {
                        m_writtenByNode.push_back(i);
                    }
                }
            }
        }
    }

    /// The event has run, for the first time or again.
    void settle(std::size_t event) {
        std::vector<std::string> written = writtenSince();
        if (event == m_settled && event < m_facts.size()) {
            if (!onlyCounts(event)) {
                m_facts[event].mutated = std::move(written);
            }
            ++m_settled;
        }
    }

    /// The arguments that were written to since the last event.
    std::vector<std::string> writtenSince() {
        std::vector<std::uint32_t> versions = versionsOf(m_callers.arguments);
        std::vector<std::string> names;
        for (std::size_t i = 0; i < versions.size(); ++i) {
            if (versions[i] != m_versions[i] ||
                std::ranges::find(m_writtenByNode, i) != m_writtenByNode.end()) {
                names.push_back(m_callers.names[i]);
                // A graph's own view of it counts versions for itself, so its statistics would seem known.
                m_summaries.forget(storageIn(m_callers.arguments[i]));
            }
        }
        m_versions = std::move(versions);
        m_writtenByNode.clear();
        return names;
    }

    /// RuntimeWrapper increases version counters before the graph writes: that increase does not count as a
    /// write.
    bool onlyCounts(std::size_t event) const {
        const steps::CallEvent& entry = m_recorder.record().events[event];
        if (entry.kind != steps::EventKind::WrapperEntry || !entry.wrapper) {
            return false;
        }
        const std::size_t step = m_recorder.record().wrappers[*entry.wrapper].step;
        return std::holds_alternative<aot::RuntimeWrapper>(m_function.wrappers.at(step).wrapper);
    }

    /// Autograd may have taken a result of the backward as the gradient, and adds to it in place.
    void protectGradient(std::size_t event) {
        const steps::CallEvent& accumulation = m_recorder.record().events[event];
        if (accumulation.kind != steps::EventKind::GradientAccumulation) {
            return;
        }
        for (const CallerLeaf& leaf : m_callers.leaves) {
            const at::Tensor& grad = leaf.tensor.grad();
            if (leaf.name == accumulation.title && grad.defined() && grad.has_storage()) {
                m_checkpoints.beforeWrite(grad.storage());
                m_summaries.forget(grad.storage().unsafeGetStorageImpl());
            }
        }
    }

    /// Once named, they stay named.
    void nameKernels(bool wanted) {
        if (!wanted || m_namesKernels) {
            return;
        }
        m_namesKernels = true;
        for (std::size_t event = 0; event < m_facts.size(); ++event) {
            m_facts[event].kernel = kernelOf(m_recorder.record().events[event]);
        }
    }

    /// Empty: the event is no node, or no kernel computes it. A call runs node by node all the same.
    std::string kernelOf(const steps::CallEvent& event) {
        const bool isBackward = event.kind == steps::EventKind::BackwardNode;
        if (!isBackward && event.kind != steps::EventKind::ForwardNode) {
            return {};
        }
        const auto [known, isNew] = m_kernels.try_emplace(event.kind);
        if (const ir::GraphPtr graph = isBackward ? m_function.backward() : m_function.forward();
            isNew && graph) {
            known->second = kernels::kernelsOfNodes(*graph, kernels::planFusion(*graph));
        }
        const auto found = known->second.find(event.title);
        return found == known->second.end() ? std::string() : found->second;
    }

    std::size_t begun(Frame& frame, std::vector<c10::IValue>& inputs) override {
        // Memory that an operator leaves as it finds it would differ from passage to passage.
        frame.context.zeroesUnwritten = true;
        const GraphPassage::Start start =
            m_graphs.begin(frame, inputs, m_recorder.next(), m_controller.certainTarget());
        m_recorder.skipTo(start.event);
        return start.position;
    }

    void started(ir::NodeId node) override {
        m_graphs.arrive(node, m_recorder.next());
        const bool isEvent = m_graphs.frame()->graph.node(node).op != ir::Opcode::Placeholder;
        m_node = isEvent ? std::optional(node) : std::nullopt;
    }

    void finished(ir::NodeId node, c10::IValue& result, std::int64_t /*nanoseconds*/) override {
        const bool isFirst = m_node && m_current == m_settled;
        m_graphs.finished(node, result, isFirst ? &m_facts[m_current] : nullptr);
        if (m_node) {
            noteRepetition(m_current, result);
        }
        m_node.reset();
    }

    void noteRepetition(std::size_t event, const c10::IValue& result) {
        const std::uint64_t fingerprint = elementsHash(result, comparedElements);
        std::optional<std::uint64_t>& first = m_fingerprints[event];
        if (!first) {
            first = fingerprint;
            return;
        }
        if (*first != fingerprint) {
            const steps::CallEvent& node = m_recorder.record().events[event];
            std::string note =
                "The node " + node.title + " (" + node.target +
                ") cannot be repeated: run again, it gave other numbers. What follows from it may "
                "differ too.";
            if (std::ranges::find(m_notes, note) == m_notes.end()) {
                m_notes.push_back(std::move(note));
            }
        }
    }

    void released(ir::NodeId /*node*/, const c10::IValue& value) override { m_graphs.released(value); }

    void ended() override { m_graphs.end(m_recorder.next()); }

    // Pauses

    /// The answer to a pause before event `next` that can be followed; nothing: the call does not pause
    /// there. `failure`: the reason to pause anyway.
    std::optional<steps::StepMove> answered(std::size_t next, const std::optional<std::string>& failure) {
        using Move = steps::StepMove::Kind;
        std::string refused;
        for (;;) {
            const std::optional<std::string> reason = failure ? failure : m_controller.pauseAt(next, known());
            if (!reason && refused.empty()) {
                return std::nullopt;
            }
            steps::StepMove move = ask(next, reason.value_or(m_lastReason), refused);
            if (move.kind == Move::Abort) {
                throw Canceled{};
            }
            if (move.kind != Move::Stay) {
                return move;
            }
            refused = std::move(move.refused);
        }
    }

    void decide(std::size_t next) {
        const std::optional<steps::StepMove> move = answered(next, std::nullopt);
        const std::optional<std::size_t> target = move ? m_controller.certainTarget() : std::nullopt;
        // The way through the start and a checkpoint may be shorter than the way forward.
        if (move && (move->kind == steps::StepMove::Kind::Back ||
                     (target && m_checkpoints.anyBetween(next + longWay, *target)))) {
            throw GoBack{};
        }
    }

    /// Whether a person wants to go back from the end of the call, or from a failure in it.
    bool standsAtEnd(const std::exception_ptr& failure) {
        const std::size_t count = m_recorder.record().events.size();
        std::size_t next = count;
        if (failure) {
            next = m_facts.empty() ? 0 : m_current;
            if (!m_pauses.atEnd && !m_hasPaused) {
                return false;
            }
        } else {
            if (count > 0) {
                settle(count - 1);
            }
            m_complete = true;
        }
        const auto move =
            answered(next, failure ? std::optional("the call failed: " + textOf(failure)) : std::nullopt);
        return move && move->kind == steps::StepMove::Kind::Back;
    }

    steps::StepMove ask(std::size_t next, const std::string& reason, const std::string& refused) {
        steps::StepPause pause;
        pause.reason = reason;
        pause.record = std::make_shared<const steps::CallRecord>(m_recorder.record());
        pause.facts = std::make_shared<const std::vector<steps::EventFacts>>(m_facts);
        pause.next = next;
        ShownValues shown{m_callers, m_graphs.frame(), {}, m_pauses.contents};
        if (shown.frame != nullptr && m_node) {
            const ir::Graph& graph = shown.frame->graph;
            const auto inputs = graph.inputs(*m_node);
            shown.near.insert(inputs.begin(), inputs.end());
            const auto order = graph.order();
            const auto at = std::ranges::find(order, *m_node);
            if (at != order.begin() && at != order.end()) {
                shown.near.insert(*std::prev(at));
            }
        }
        pause.values = pauseValues(shown, m_recorder.states(), m_summaries);
        pause.generator = elementsHash(generatorState());
        pause.checkpoints = m_checkpoints.plan().events();
        pause.checkpointBytes = m_checkpoints.plan().bytes() + m_start.bytes();
        pause.checkpointLimit = m_checkpoints.plan().limit() + m_start.bytes();
        pause.refused = refused;
        pause.notes = m_notes;
        m_hasPaused = true;
        m_lastReason = reason;
        // Meanwhile others may run graphs, with the same generator.
        const at::Tensor generator = generatorState();
        const steps::StepAnswer answer = m_pauses.onPause(std::move(pause));
        if (answer.kind != steps::StepAnswer::Kind::Abort) {
            setGeneratorState(generator);
        }
        nameKernels(answer.byFusedKernel.value_or(false));
        return m_controller.follow(answer, next, known());
    }

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

} // namespace

void stepThrough(const steps::StepPauses& pauses, const aot::CompiledFunction& function,
                 const CallerTensors& callers, CallRecorder& recorder, const std::function<void()>& pass) {
    CallStepper(pauses, function, callers, recorder).run(pass);
}

} // namespace aotscope::torch
