#pragma once

#include "wrappers/call_observer.h"
#include "wrappers/value_states.h"

#include "aot/compiled_function.h"
#include "steps/call_record.h"

#include <c10/util/ScopeExit.h>

#include <chrono>
#include <functional>
#include <map>
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

    /// Called before each event happens, with its index in the record, which it is part of. Empty: nobody
    /// waits. May throw, which ends the call.
    std::function<void(std::size_t event)> beforeEvent;
    /// Optional listener to the nodes of graphs, called before the recorder.
    void watchNodes(NodeObserver* watcher) { m_watcher = watcher != nullptr ? watcher : &m_nobody; }

    /// The same call begins again from its start, on equal values. What is recorded stays as it is, and
    /// events are recorded from where that ends.
    void rewind();
    /// Index of the next event to happen.
    [[nodiscard]] std::size_t next() const { return m_next; }
    /// Events up to this one do not happen again, as what they compute is known.
    void skipTo(std::size_t event) { m_next = event; }

    /// The following events belong to that call.
    void beginCall(std::size_t call) { m_call = call; }
    /// Everything until `endBackward` is part of the backward.
    void beginBackward();
    void endBackward() { m_isBackward = false; }
    /// Autograd is about to add to the gradient of that argument.
    void accumulating(const std::string& argument);
    void accumulated();

    void entered(std::size_t step, bool backward, const Values& arguments) override;
    void left(std::size_t step, bool backward, const Values& results) override;
    void did(std::string action) override;
    void departed(std::string value, std::string how, bool fails) override;
    void packed(const std::string& saved, std::int64_t bytes, std::int64_t stored) override;
    void unpacked(const std::string& saved) override;
    void saving(const Values& saved) override;
    NodeObserver* graphEntered(const ir::Graph& graph, bool backward, const Values& arguments) override;
    void graphLeft(const Values& results) override;

    [[nodiscard]] ValueStates& states() { return m_states; }
    [[nodiscard]] steps::CallRecord& record() { return m_record; }
    [[nodiscard]] const steps::CallRecord& record() const { return m_record; }

private:
    /// An event that is no wrapper's and no node's.
    void addPlainEvent(steps::EventKind kind, std::string title);
    class Nodes;
    using Clock = std::chrono::steady_clock;

    /// Stops the clock of whatever runs, until what it returns ends.
    [[nodiscard]] auto stopClock() {
        m_sinceLast = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - m_last);
        if (!m_levels.empty()) {
            m_levels.back().own += m_sinceLast;
        }
        return c10::make_scope_exit([this] { m_last = Clock::now(); });
    }
    std::size_t addEvent(steps::CallEvent event);
    /// Whether what happens now has happened before and is recorded.
    [[nodiscard]] bool isKnown() const { return m_next < m_record.events.size(); }
    std::size_t enterWrapper(std::size_t step, bool backward, const Values& arguments);
    [[nodiscard]] steps::WrapperCall* innermost();
    [[nodiscard]] std::optional<std::size_t> runningWrapper() const;
    void describe(const Values& values, std::vector<steps::ValueState>& states, const std::string& one,
                  const std::vector<std::string>& names = {});
    [[nodiscard]] std::vector<steps::ValueState> again(const std::vector<steps::ValueState>& states);
    void keepWritten(const Values& arguments, const std::vector<steps::ValueState>& states);

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
    /// The next event and the next wrapper to be entered.
    std::size_t m_next = 0;
    std::size_t m_nextWrapper = 0;
    NodeObserver m_nobody;
    NodeObserver* m_watcher = &m_nobody;
    std::vector<Level> m_levels;
    Clock::time_point m_last = Clock::now();
    /// What the last `stopClock` measured.
    std::chrono::nanoseconds m_sinceLast{0};
    std::size_t m_call = 0;
    bool m_isBackward = false;
    /// Copies of the caller's arguments that the call may write to, by the tensor's number.
    std::map<std::uint64_t, at::Tensor> m_before;
    std::unique_ptr<Nodes> m_nodes;
};

} // namespace aotscope::torch
