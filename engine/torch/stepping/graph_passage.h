#pragma once

#include "run/execution/executor.h"
#include "stepping/frame_checkpoint.h"
#include "stepping/tensor_summaries.h"
#include "stepping/written_arguments.h"

#include "steps/step_breakpoint.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace aotscope::torch {

/// The bytes of the storages that the values of a running graph hold, each counted once.
class AliveBytes {
public:
    /// Those of the callers do not count; `callers` must outlive it.
    explicit AliveBytes(const CallerState& callers) : m_callers(callers) {}

    void add(const c10::IValue& value);
    void remove(const c10::IValue& value);
    void clear() {
        m_held.clear();
        m_bytes = 0;
    }
    [[nodiscard]] std::int64_t bytes() const { return m_bytes; }

private:
    struct Held {
        std::int64_t bytes = 0;
        std::int64_t holders = 0;
    };
    const CallerState& m_callers;
    std::unordered_map<const c10::StorageImpl*, Held> m_held;
    std::int64_t m_bytes = 0;
};

/// Follows a call through its graphs: makes checkpoints, begins at one on a later passage, and finds out what
/// breakpoints look at.
class GraphPassage {
public:
    /// All references must outlive it.
    GraphPassage(Checkpoints& checkpoints, TensorSummaries& summaries, const CallerState& callers)
        : m_checkpoints(checkpoints), m_summaries(summaries), m_alive(callers) {}

    /// A passage through the call begins: its first graph is the next to run.
    void restart() {
        m_run = 0;
        m_frame = nullptr;
    }

    /// A graph begins to run, before event `next`. Goes to the last checkpoint of its run that is not behind
    /// `target`; returns the position in the graph's order and the event that it stands before then.
    struct Start {
        std::size_t position = 0;
        std::size_t event = 0;
    };
    Start begin(Frame& frame, std::vector<c10::IValue>& inputs, std::size_t next,
                std::optional<std::size_t> target);
    /// The next node is about to be announced as event `event`: makes a checkpoint where one is due. Skips
    /// placeholders.
    void arrive(ir::NodeId node, std::size_t event);
    /// The node runs now: takes care of what it writes to. Returns the storages.
    std::vector<const c10::StorageImpl*> beforeRun(ir::NodeId node);
    /// The node has its result. Fills facts, whose origin is set, when `facts` is not null.
    void finished(ir::NodeId node, const c10::IValue& result, steps::EventFacts* facts);
    void released(const c10::IValue& value) { m_alive.remove(value); }
    /// All nodes have run; `event` is the next one.
    void end(std::size_t event);

    /// The running graph; null: none runs.
    [[nodiscard]] const Frame* frame() const { return m_frame; }

private:
    [[nodiscard]] FrameCheckpoint capture() const;

    Checkpoints& m_checkpoints;
    TensorSummaries& m_summaries;
    AliveBytes m_alive;
    std::map<const ir::Graph*, std::unique_ptr<WrittenArguments>> m_writes;

    /// Counts the graphs that have begun in this passage.
    std::size_t m_run = 0;
    Frame* m_frame = nullptr;
    CalledWith m_inputs;
    const WrittenArguments* m_written = nullptr;
    /// Inputs that the graph has written to so far, by index.
    std::map<std::size_t, c10::Storage> m_writtenInputs;
    std::size_t m_position = 0;
    /// The event of the graph's first node that is no placeholder.
    std::size_t m_firstEvent = 0;
    /// The graph has changed what a checkpoint cannot restore: an input's storage itself.
    bool m_storageChanged = false;
};

} // namespace aotscope::torch
