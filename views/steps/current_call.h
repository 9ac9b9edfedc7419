#pragma once

#include "common/request.h"
#include "contract/call_snapshot.h"
#include "steps/step_pause.h"

#include <QObject>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::views {

class CurrentPartition;
class LogList;
class SelectionHub;
class ShownKernels;
class CompileSettings;

/// A function of an open file, with all that is known of its wrappers and its last call.
struct CalledFunction {
    std::uint32_t log = 0;
    session::RetraceTarget target;
    /// Null: it was not traced again. May have an error in place of a result.
    session::RetraceSnapshotPtr retraced;
    /// The last call that ended; null: there is none since it was last called.
    session::CallSnapshotPtr call;
    /// Where the call under way stood last; null: it has not paused, or has ended.
    steps::StepPausePtr pause;
    /// The current point: the call stands before this event. record()->events.size(): after the last one.
    std::size_t event = 0;

    /// What happened in the call; null: nothing happened, or nothing is known.
    [[nodiscard]] steps::CallRecordPtr record() const;
    /// All wrappers, the innermost first, of the call if there is one, else of the re-trace; null: unknown.
    [[nodiscard]] const std::vector<aot::WrapperStep>* wrappers() const;
};

/// The point that the whole window is at.
struct CurrentPoint {
    session::Selection selection;
    /// The selected graph's index among the stages of the trace that is browsed; nothing: it is no stage.
    std::optional<std::size_t> stage;
    /// In the call of the selection's function; nothing: it was not called.
    std::optional<std::size_t> event;
};

/// The selected function as it is called: asks the engine for its wrappers and calls, answers pauses, and
/// holds the current point, which stays with each function while a person looks at others. Moving the point
/// selects the node in the half of the graph that runs there, and so moves all panels.
class CurrentCall : public QObject {
    Q_OBJECT

public:
    CurrentCall(EngineClient* engine, SelectionHub* selection, const LogList* logs,
                const CurrentPartition* partition, const CompileSettings* settings,
                const ShownKernels* kernels, QObject* parent = nullptr);
    ~CurrentCall() override;

    /// The function of the selected compile; null: nothing is selected, or nothing that can be traced again.
    [[nodiscard]] const CalledFunction* function() const;
    /// "0/0", with several logs "0/0 · trace.log"; empty: no function.
    [[nodiscard]] QString nameOfFunction() const;
    [[nodiscard]] CurrentPoint point() const;

    /// Traces the function again unless its wrappers are known or already requested.
    void wantWrappers();
    /// The request for its wrappers, if it is about the shown function; else null.
    [[nodiscard]] RequestBase* wrappersRequest();
    [[nodiscard]] RequestWords wrappersWords() const;

    /// Calls the function. With `stepThrough` it stands still before the first event.
    void call(const session::CallOptions& options, bool stepThrough);
    void cancel();
    /// The request for the call, if it is about the shown function; else null.
    [[nodiscard]] RequestBase* callRequest();
    [[nodiscard]] RequestWords callWords() const;
    /// Whether a call is under way, of any function.
    [[nodiscard]] bool calling() const { return m_call.isUnderWay(); }
    /// Whether a call stands still and waits for an answer; of any function, as there is one at a time.
    [[nodiscard]] bool paused() const { return m_open != nullptr; }
    /// The pause that waits for an answer; null: none.
    [[nodiscard]] const steps::StepPausePtr& pause() const { return m_open; }
    /// Whether a call is under way that has paused before: it stands still, or is on its way on.
    [[nodiscard]] bool stepping() const;
    /// Whether the shown function is the one whose call is under way.
    [[nodiscard]] bool isCallShown() const;

    /// Whether step() can do anything: a call is paused, or the shown function's call is recorded.
    [[nodiscard]] bool canStep() const;
    /// Continues the paused call; without one moves the point in the recorded call. `event` is for RunTo.
    void step(steps::StepAnswer::Kind kind, std::size_t event = 0);
    /// Moves the point to an event. While a paused call is on its way to another event only the newest wish
    /// is kept, so that a slider can be dragged.
    void goTo(std::size_t event);
    /// Moves the point to where a node of the graph runs. A paused call that has not come so far continues
    /// until it does, or to a breakpoint before it.
    void goToNode(const std::string& node);
    /// The fused kernel that the event is a step of; empty: none, or steps are not by fused kernel.
    [[nodiscard]] std::string kernelAt(std::size_t event) const;
    /// Where goTo wants to be while the call is on its way; nothing: the point is where it is wanted.
    [[nodiscard]] std::optional<std::size_t> wanted() const { return m_wanted; }

    /// Where calls pause; for all functions.
    [[nodiscard]] const std::vector<steps::StepBreakpoint>& breakpoints() const { return m_breakpoints; }
    void setBreakpoints(std::vector<steps::StepBreakpoint> breakpoints);
    void toggleBreakpoint(const steps::StepBreakpoint& breakpoint);
    [[nodiscard]] bool hasBreakpoint(const steps::StepBreakpoint& breakpoint) const;
    /// The breakpoint at an event; nothing: a call cannot pause at this kind of event by itself.
    [[nodiscard]] static std::optional<steps::StepBreakpoint> breakpointAt(const steps::CallEvent& event);

    /// The tags of the commands sent here.
    [[nodiscard]] static QString callTag() { return QStringLiteral("call"); }
    [[nodiscard]] static QString wrappersTag() { return QStringLiteral("wrappers"); }

Q_SIGNALS:
    /// Another function is shown, or none.
    void functionChanged();
    /// What is known of its wrappers, or the state of the request for them.
    void wrappersChanged();
    /// What is known of its call, or the state of that request.
    void callChanged();
    /// The current point.
    void pointChanged();
    void breakpointsChanged();
    /// A call began or ended, paused or went on, of any function; or what a step is became another.
    void stateChanged();

private:
    [[nodiscard]] CalledFunction* find(std::uint32_t log, const session::RetraceTarget& target);
    void follow(const session::Selection& selection);
    void takeEvent(const session::Event& event);
    void takePause(const steps::StepPausePtr& pause);
    void takeCall(const session::CallSnapshotPtr& call);
    void followCall();
    void forgetLog(quint32 log);
    void forgetTraces();
    void moveTo(CalledFunction& function, std::size_t event);
    void stepInRecord(CalledFunction& function, steps::StepAnswer::Kind kind, std::size_t event);
    [[nodiscard]] std::vector<steps::EventFacts> factsOf(const CalledFunction& function) const;
    void answer(steps::StepAnswer answer);
    void goToWanted();
    void selectNode(const CalledFunction& function);
    [[nodiscard]] std::optional<session::ArtifactReference>
    graphWith(const CalledFunction& function, const std::string& node, bool backward) const;

    EngineClient* m_engine;
    SelectionHub* m_selection;
    const LogList* m_logs;
    const CurrentPartition* m_partition;
    const CompileSettings* m_settings;
    const ShownKernels* m_kernels;
    /// One per function that was selected, as long as its log is open. Addresses stay.
    std::vector<std::unique_ptr<CalledFunction>> m_functions;
    CalledFunction* m_shown = nullptr;
    /// The function of the latest call request, and of the latest trace request.
    CalledFunction* m_called = nullptr;
    CalledFunction* m_traced = nullptr;
    steps::StepPausePtr m_open;
    std::optional<std::size_t> m_wanted;
    std::vector<steps::StepBreakpoint> m_breakpoints;
    Request<session::RetraceSnapshotPtr> m_trace;
    Request<session::CallSnapshotPtr> m_call;
};

} // namespace aotscope::views
