#pragma once

#include "wrappers/call_observer.h"
#include "wrappers/value_states.h"

#include "aot/compiled_function.h"
#include "steps/call_record.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace aotscope::torch {

/// Records a call: its events, and what each wrapper is called with, passes on, gets back and returns. The
/// times are without the recorder's own work.
class CallRecorder final : public CallObserver {
public:
    /// `function` must outlive it; `names` are those of the caller's arguments.
    CallRecorder(const aot::CompiledFunction& function, std::vector<std::string> names);
    ~CallRecorder() override;

    /// Called before each event happens, with the record up to and including it. The event's index is that of
    /// the last. Empty: nobody waits. May throw, which ends the call.
    std::function<void(const steps::CallRecord& record)> beforeEvent;
    /// Called when a node of a graph has its result, which it may replace.
    std::function<void(const ir::Graph& graph, ir::NodeId node, c10::IValue& result)> afterNode;

    /// The following events belong to that call.
    void beginCall(std::size_t call) { m_call = call; }
    /// Everything until `endBackward` is part of the backward.
    void beginBackward();
    void endBackward();
    /// Autograd is about to add to the gradient of that argument.
    void accumulating(const std::string& argument);
    void accumulated();

    void entered(std::size_t step, bool backward, const Values& arguments) override;
    void left(std::size_t step, bool backward, const Values& results) override;
    void did(std::string action) override;
    void saving(const Values& saved) override;
    NodeObserver* graphEntered(const ir::Graph& graph, bool backward, const Values& arguments) override;
    void graphLeft(const Values& results) override;

    [[nodiscard]] ValueStates& states() { return m_states; }
    [[nodiscard]] steps::CallRecord& record() { return m_record; }

private:
    class Nodes;
    using Clock = std::chrono::steady_clock;

    /// Stops the clock of whatever runs; `resume` starts it again.
    void stopClock();
    void resumeClock() { m_last = Clock::now(); }
    std::size_t addEvent(steps::CallEvent event);
    [[nodiscard]] std::vector<steps::ValueState> again(const std::vector<steps::ValueState>& states);

    /// A wrapper or graph that runs; the innermost is the last.
    struct Level {
        /// Index in the record's wrappers; nothing: a graph.
        std::optional<std::size_t> wrapper;
        std::chrono::nanoseconds own{0};
    };

    const aot::CompiledFunction& m_function;
    std::vector<std::string> m_names;
    ValueStates m_states;
    steps::CallRecord m_record;
    std::vector<Level> m_levels;
    Clock::time_point m_last = Clock::now();
    /// What the last `stopClock` measured.
    std::chrono::nanoseconds m_sinceLast{0};
    std::size_t m_call = 0;
    bool m_isBackward = false;
    std::unique_ptr<Nodes> m_nodes;
};

} // namespace aotscope::torch
