#pragma once

#include "contract/backend.h"
#include "ir/text/parser.h"
#include "support/fake_backend.h"

#include "steps/step_controller.h"
#include "steps/step_pause.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace aotscope::test {

/// A tensor of float32 on a storage, as a wrapper sees it.
inline steps::ValueState valueOn(std::string name, std::uint64_t tensor, std::uint64_t storage,
                                 std::int64_t storageBytes, std::int64_t size, std::int64_t offset = 0) {
    steps::ValueState value;
    value.name = std::move(name);
    value.tensor = tensor;
    value.storage = storage;
    value.storageBytes = storageBytes;
    value.meta.emplace();
    value.meta->dtype = ir::DType::Float32;
    value.meta->shape = {size};
    value.meta->stride = ir::SymInts{1};
    value.meta->storageOffset = offset;
    return value;
}

inline steps::CallEvent eventOf(steps::EventKind kind, std::size_t depth, std::size_t wrapper,
                                std::string title, std::int64_t nanoseconds, std::string target = {},
                                bool backward = false) {
    steps::CallEvent event;
    event.kind = kind;
    event.depth = depth;
    event.wrapper = wrapper;
    event.title = std::move(title);
    event.target = std::move(target);
    event.nanoseconds = nanoseconds;
    event.backward = backward;
    return event;
}

/// A call of the sample log's function through two wrappers: two views of one storage become their base, and
/// one of them is mutated. Nodes have names of the sample's joint graph.
inline steps::CallRecord fakeCallRecord() {
    using Kind = steps::EventKind;
    steps::CallRecord record;
    record.events = {eventOf(Kind::WrapperEntry, 0, 0, "AOTSyntheticBaseWrapper", 0),
                     eventOf(Kind::WrapperEntry, 1, 1, "AOTDispatchAutograd", 0),
                     eventOf(Kind::ForwardNode, 2, 1, "mm", 12'000, "aten.mm.default"),
                     eventOf(Kind::ForwardNode, 2, 1, "addmm", 15'000, "aten.addmm.default"),
                     eventOf(Kind::Saving, 2, 1, "2 tensors", 300),
                     eventOf(Kind::WrapperExit, 1, 1, "AOTDispatchAutograd", 900),
                     eventOf(Kind::WrapperExit, 0, 0, "AOTSyntheticBaseWrapper", 700),
                     eventOf(Kind::WrapperEntry, 0, 2, "AOTDispatchAutograd", 0, {}, true),
                     eventOf(Kind::BackwardNode, 1, 2, "mm_1", 20'000, "aten.mm.default", true),
                     eventOf(Kind::WrapperExit, 0, 2, "AOTDispatchAutograd", 500, {}, true),
                     eventOf(Kind::GradientAccumulation, 0, 2, "primals_1", 400, {}, true)};
    record.events.back().wrapper.reset();
    steps::WrapperCall outer;
    outer.step = 1;
    outer.name = "AOTSyntheticBaseWrapper";
    outer.entry = 0;
    outer.exit = 6;
    outer.ownNanoseconds = 2'500;
    outer.arguments = {valueOn("arg 0", 1, 1, 96, 6), valueOn("arg 1", 2, 1, 96, 6, 12),
                       valueOn("arg 2", 3, 2, 16, 4)};
    outer.passedOn = {valueOn("base 0", 4, 1, 96, 24), valueOn("arg 2", 3, 2, 16, 4)};
    outer.received = {valueOn("output 0", 5, 3, 16, 4)};
    outer.results = outer.received;
    outer.argumentsAfterCall = outer.arguments;
    outer.argumentsAfterCall[0].version = 1;
    outer.actions = {"made base 0 of arg 0 and arg 1", "<b>copied</b> nothing"};
    steps::WrapperCall inner;
    inner.step = 0;
    inner.name = "AOTDispatchAutograd";
    inner.entry = 1;
    inner.exit = 5;
    inner.ownNanoseconds = 5'000;
    inner.arguments = outer.passedOn;
    inner.passedOn = outer.passedOn;
    inner.received = outer.received;
    inner.results = outer.received;
    steps::WrapperCall backward = inner;
    backward.backward = true;
    backward.entry = 7;
    backward.exit = 9;
    backward.ownNanoseconds = 4'000;
    record.wrappers = {outer, inner, backward};
    record.outputs = outer.results;
    record.arguments = outer.argumentsAfterCall;
    record.nanoseconds = 60'000;
    record.eager.emplace();
    record.eager->values = {{.name = "output 0", .structure = {}, .relativeError = 1e-7},
                            {.name = "gradient of arg 2", .structure = {}, .relativeError = 2e-7}};
    return record;
}

/// What is known of a call before event `next`, when `seen` events have run at some time.
inline steps::CallRecord partOf(const steps::CallRecord& record, std::size_t seen) {
    steps::CallRecord part = record;
    part.events.resize(std::min(seen, part.events.size()));
    std::erase_if(part.wrappers, [&](const steps::WrapperCall& call) { return call.entry >= seen; });
    for (steps::WrapperCall& call : part.wrappers) {
        if (call.exit && *call.exit >= seen) {
            call.exit.reset();
            call.received.clear();
            call.results.clear();
            call.argumentsAfterCall.clear();
        }
    }
    part.eager.reset();
    return part;
}

/// Goes through a record as a call that a person steps through would, asking `pauses` at each pause.
inline base::Result<steps::CallRecord> stepThrough(const steps::CallRecord& record,
                                                   const steps::StepPauses& pauses,
                                                   std::vector<steps::EventFacts> facts = {}) {
    if (!pauses.wanted()) {
        return record;
    }
    facts.resize(record.events.size());
    const steps::KnownEvents known{record.events, facts, true};
    steps::StepController controller(pauses);
    std::size_t seen = 0;
    std::size_t next = 0;
    std::string refused;
    for (;;) {
        seen = std::max(seen, std::min(next + 1, record.events.size()));
        const std::optional<std::string> reason =
            refused.empty() ? controller.pauseAt(next, known) : std::optional<std::string>("step");
        if (!reason) {
            if (next == record.events.size()) {
                return record;
            }
            ++next;
            continue;
        }
        steps::StepPause pause;
        pause.reason = *reason;
        pause.record = std::make_shared<const steps::CallRecord>(partOf(record, seen));
        pause.next = next;
        pause.facts = std::make_shared<const std::vector<steps::EventFacts>>(facts);
        pause.checkpointBytes = 4'096;
        pause.checkpointLimit = 1 << 20;
        pause.refused = std::exchange(refused, {});
        steps::ValueDetails value;
        value.state = valueOn("mm", 9, 9, 64, 16);
        value.minimum = -1.5;
        value.mean = 0.25;
        value.maximum = 2;
        value.nanCount = 3;
        value.histogram = {1, 4, 9, 2};
        pause.values = {value};
        const steps::StepMove move = controller.follow(pauses.onPause(std::move(pause)), next, known);
        using Move = steps::StepMove::Kind;
        if (move.kind == Move::Abort) {
            return base::canceledError();
        }
        if (move.kind == Move::Finish) {
            return record;
        }
        if (move.kind == Move::Stay) {
            refused = move.refused;
        } else {
            next = move.kind == Move::Back ? move.event : next + 1;
        }
    }
}

/// A function with four wrappers, two of which apply. It has no joint graph, so that it can be called as it
/// is.
inline aot::RetraceResult fakeRetrace() {
    constexpr std::string_view text = R"(class GraphModule(torch.nn.Module):
    def forward(self, primals_1: "f32[4][1]cpu"):
        relu: "f32[4][1]cpu" = torch.ops.aten.relu.default(primals_1);  primals_1 = None
        return (relu,)
)";
    aot::RetraceResult result;
    result.function.graph = *ir::parseGraphText(text);
    result.function.reason = "no input requires grad";
    aot::AOTSyntheticBaseWrapper bases;
    bases.bases = {{0, true}};
    result.function.wrappers = {{aot::AOTDispatchAutograd{}, true, "an input requires grad"},
                                {bases, true, "arg 0 and arg 1 share memory, and arg 0 is mutated"},
                                {aot::AOTDedupeWrapper{}, false, "no tensor is passed twice"},
                                {aot::EffectTokensWrapper{}, false, "no operator has effects"}};
    return result;
}

/// Has the fake backend trace and call that function.
inline void answerCalls(FakeBackendControl& control, const steps::CallRecord& record = fakeCallRecord()) {
    control.onRetrace = [](const aot::RetraceRequest&, const session::TracePauses&,
                           base::Progress&) -> base::Result<aot::RetraceResult> { return fakeRetrace(); };
    control.onCall = [record](const session::CallRequest&, const steps::StepPauses& pauses, base::Progress&) {
        return stepThrough(record, pauses);
    };
}

} // namespace aotscope::test
