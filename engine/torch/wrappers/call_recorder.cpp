#include "wrappers/call_recorder.h"

#include "base/mapped.h"
#include "run/reference/value_error.h"
#include "wrappers/argument_places.h"

#include <c10/core/GradMode.h>

#include <algorithm>

namespace aotscope::torch {

namespace {

bool isReadable(const at::Tensor& tensor) {
    return tensor.defined() && !tensor.is_meta() && tensor.layout() == c10::kStrided &&
           !tensor.is_quantized() && tensor.has_storage();
}

/// Nothing for tensors that cannot be compared: of other sizes, or without elements in memory.
std::optional<steps::DataChange> dataChange(const at::Tensor& before, const at::Tensor& after) {
    if (!isReadable(after) || before.sizes() != after.sizes() ||
        before.scalar_type() != after.scalar_type()) {
        return std::nullopt;
    }
    const c10::AutoGradMode noGrad(false);
    const at::Tensor now = after.detach();
    // NaN differs from itself.
    const at::Tensor same = before.eq(now).logical_or(before.ne(before).logical_and(now.ne(now)));
    return steps::DataChange{same.logical_not().sum().item().toLong(), now.numel(),
                             largestDifference(before, now)};
}

} // namespace

/// Records the nodes of the graph that runs.
class CallRecorder::Nodes final : public NodeObserver {
public:
    Nodes(CallRecorder& recorder, const ir::Graph& graph, bool backward)
        : m_recorder(recorder), m_graph(graph), m_backward(backward) {}

    std::size_t begun(Frame& frame, Values& inputs) override {
        return m_recorder.m_watcher->begun(frame, inputs);
    }
    void ended() override { m_recorder.m_watcher->ended(); }
    void started(ir::NodeId id) override {
        const ir::Node& node = m_graph.node(id);
        m_event.reset();
        m_recorder.m_watcher->started(id);
        if (node.op == ir::Opcode::Placeholder) {
            return;
        }
        const auto resumed = m_recorder.stopClock();
        m_event = m_recorder.addEvent(
            {.kind = m_backward ? steps::EventKind::BackwardNode : steps::EventKind::ForwardNode,
             .title = node.name,
             .target = node.target});
    }
    void finished(ir::NodeId id, c10::IValue& result, std::int64_t nanoseconds) override {
        const auto resumed = m_recorder.stopClock();
        if (m_event) {
            m_recorder.m_record.events[*m_event].nanoseconds = nanoseconds;
        }
        m_recorder.m_watcher->finished(id, result, nanoseconds);
    }
    void released(ir::NodeId id, const c10::IValue& value) override {
        m_recorder.m_watcher->released(id, value);
    }

private:
    CallRecorder& m_recorder;
    const ir::Graph& m_graph;
    bool m_backward;
    std::optional<std::size_t> m_event;
};

CallRecorder::CallRecorder(const aot::CompiledFunction& function, std::vector<std::string> names)
    : m_function(function), m_names(std::move(names)) {}

CallRecorder::~CallRecorder() = default;

void CallRecorder::rewind() {
    m_next = 0;
    m_nextWrapper = 0;
    m_levels.clear();
    m_call = 0;
    m_isBackward = false;
}

steps::WrapperCall* CallRecorder::innermost() {
    const bool isWrapper = !m_levels.empty() && m_levels.back().wrapper;
    return isWrapper ? &m_record.wrappers[*m_levels.back().wrapper] : nullptr;
}

/// The innermost wrapper that runs, whether it has called a graph or not.
std::optional<std::size_t> CallRecorder::runningWrapper() const {
    const auto level = std::find_if(m_levels.rbegin(), m_levels.rend(),
                                    [](const Level& each) { return each.wrapper.has_value(); });
    return level == m_levels.rend() ? std::nullopt : level->wrapper;
}

/// In a call that is repeated, values get the numbers that they had.
void CallRecorder::describe(const Values& values, std::vector<steps::ValueState>& states,
                            const std::string& one, const std::vector<std::string>& names) {
    if (isKnown()) {
        m_states.bind(values, states);
    } else {
        states = m_states.of(values, one, names);
    }
}

std::size_t CallRecorder::addEvent(steps::CallEvent event) {
    const std::size_t index = m_next;
    if (!isKnown()) {
        event.call = m_call;
        event.backward = m_isBackward || event.backward;
        event.depth = static_cast<std::size_t>(
            std::ranges::count_if(m_levels, [](const Level& level) { return level.wrapper.has_value(); }));
        event.wrapper = event.wrapper ? event.wrapper : runningWrapper();
        m_record.events.push_back(std::move(event));
    }
    ++m_next;
    if (beforeEvent) {
        beforeEvent(index);
    }
    return index;
}

void CallRecorder::beginBackward() {
    m_isBackward = true;
    m_last = Clock::now();
}

void CallRecorder::accumulating(const std::string& argument) {
    addPlainEvent(steps::EventKind::GradientAccumulation, argument);
}

void CallRecorder::accumulated() {
    const auto resumed = stopClock();
    if (m_next > 0 && m_record.events[m_next - 1].kind == steps::EventKind::GradientAccumulation) {
        m_record.events[m_next - 1].nanoseconds = m_sinceLast.count();
    }
}

/// Records the wrapper's entry; returns its index.
std::size_t CallRecorder::enterWrapper(std::size_t step, bool backward, const Values& arguments) {
    const std::size_t index = m_nextWrapper++;
    if (isKnown()) {
        m_states.bind(arguments, m_record.wrappers[index].arguments);
        return index;
    }
    steps::WrapperCall call;
    call.step = step;
    call.name = std::string(aot::wrapperName(m_function.wrappers.at(step).wrapper));
    call.call = m_call;
    call.backward = backward;
    call.arguments = m_states.of(arguments, backward ? "gradient of result" : "argument",
                                 m_levels.empty() && !backward ? m_names : std::vector<std::string>());
    if (steps::WrapperCall* around = innermost()) {
        around->passedOn = call.arguments;
    } else if (!backward) {
        keepWritten(arguments, call.arguments);
    }
    call.entry = m_next;
    m_record.wrappers.push_back(std::move(call));
    return index;
}

void CallRecorder::entered(std::size_t step, bool backward, const Values& arguments) {
    const auto resumed = stopClock();
    const std::size_t index = enterWrapper(step, backward, arguments);
    addEvent({.kind = steps::EventKind::WrapperEntry,
              .wrapper = index,
              .backward = backward,
              .title = m_record.wrappers[index].name});
    m_levels.push_back({index, {}});
}

void CallRecorder::left(std::size_t /*step*/, bool backward, const Values& results) {
    const auto resumed = stopClock();
    const Level level = m_levels.back();
    steps::WrapperCall& call = m_record.wrappers[*level.wrapper];
    describe(results, call.results, backward ? "gradient of argument" : "result");
    if (!isKnown()) {
        call.exit = m_next;
        call.ownNanoseconds = level.own.count();
        call.argumentsAfterCall = again(call.arguments);
    }
    m_levels.pop_back();
    addEvent({.kind = steps::EventKind::WrapperExit,
              .wrapper = level.wrapper,
              .backward = backward,
              .title = m_record.wrappers[*level.wrapper].name,
              .nanoseconds = level.own.count()});
    if (steps::WrapperCall* around = innermost()) {
        around->received = m_record.wrappers[*level.wrapper].results;
    }
}

/// The same values, as they are now; a tensor that was freed keeps its last state.
std::vector<steps::ValueState> CallRecorder::again(const std::vector<steps::ValueState>& states) {
    std::vector<steps::ValueState> now;
    now.reserve(states.size());
    for (const steps::ValueState& state : states) {
        const at::Tensor tensor = m_states.tensor(state.tensor);
        now.push_back(tensor.defined() ? m_states.of(tensor, state.name) : state);
        const auto before = m_before.find(state.tensor);
        if (tensor.defined() && before != m_before.end() && now.back().version != state.version) {
            now.back().change = dataChange(before->second, tensor);
        }
    }
    return now;
}

/// Copies the arguments that a call may write to, to see afterwards how much it changed them.
void CallRecorder::keepWritten(const Values& arguments, const std::vector<steps::ValueState>& states) {
    m_before.clear();
    const std::vector<bool> written = writtenArguments(m_function, arguments.size());
    const c10::AutoGradMode noGrad(false);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (written[i] && arguments[i].isTensor() && isReadable(arguments[i].toTensor())) {
            m_before.emplace(states[i].tensor, arguments[i].toTensor().detach().clone());
        }
    }
}

void CallRecorder::did(std::string action) {
    if (const auto wrapper = runningWrapper(); wrapper && !isKnown()) {
        m_record.wrappers[*wrapper].actions.push_back(std::move(action));
    }
}

void CallRecorder::departed(std::string value, std::string how, bool fails) {
    if (const auto wrapper = runningWrapper(); wrapper && !isKnown()) {
        m_record.departures.push_back(
            {*wrapper, m_record.wrappers[*wrapper].name, std::move(value), std::move(how), fails});
    }
}

void CallRecorder::packed(const std::string& saved, std::int64_t bytes, std::int64_t stored) {
    const std::string what = saved + ": " + std::to_string(bytes) + " bytes as " + std::to_string(stored);
    addPlainEvent(steps::EventKind::Packing, what);
    did("a saved-tensors hook packed " + what);
}

void CallRecorder::unpacked(const std::string& saved) {
    addPlainEvent(steps::EventKind::Unpacking, saved);
    did("a saved-tensors hook unpacked " + saved);
}

void CallRecorder::addPlainEvent(steps::EventKind kind, std::string title) {
    const auto resumed = stopClock();
    addEvent({.kind = kind, .backward = kind == steps::EventKind::Unpacking, .title = std::move(title)});
}

void CallRecorder::saving(const Values& saved) {
    const std::string count = std::to_string(saved.size());
    addPlainEvent(steps::EventKind::Saving, count + (saved.size() == 1 ? " value" : " values"));
    did("saved " + count + " values for the backward");
}

NodeObserver* CallRecorder::graphEntered(const ir::Graph& graph, bool backward, const Values& arguments) {
    const auto resumed = stopClock();
    const auto names =
        base::mapped(graph.placeholders(), [&](const ir::NodeId id) { return graph.node(id).name; });
    if (steps::WrapperCall* around = innermost()) {
        describe(arguments, around->passedOn, "input", names);
    }
    m_levels.push_back({std::nullopt, {}});
    m_nodes = std::make_unique<Nodes>(*this, graph, backward);
    return m_nodes.get();
}

void CallRecorder::graphLeft(const Values& results) {
    const auto resumed = stopClock();
    m_levels.pop_back();
    if (steps::WrapperCall* around = innermost()) {
        describe(results, around->received, "result of the graph");
    }
}

} // namespace aotscope::torch
