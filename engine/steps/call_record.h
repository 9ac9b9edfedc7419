#pragma once

#include "steps/value_state.h"

#include "base/describe.h"
#include "base/result.h"
#include "base/verdict.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// What happened while a compiled function was called with real tensors: the events in order, and what each
/// runtime wrapper did to its arguments and results.
namespace aotscope::steps {

enum class EventKind : std::uint8_t {
    /// A wrapper is called with arguments, before it does anything.
    WrapperEntry,
    /// A wrapper has called what it wraps and has its results.
    WrapperExit,
    /// A node of the forward (or inference) graph runs.
    ForwardNode,
    /// The autograd node keeps the tensors and symbolic integers that the backward needs.
    Saving,
    /// A node of the backward graph runs.
    BackwardNode,
    /// Autograd adds a gradient to a leaf.
    GradientAccumulation,
    /// A saved-tensors hook that was not inlined packs a tensor that the autograd node keeps, or unpacks it
    /// for the backward.
    Packing,
    Unpacking,
};
AOTSCOPE_WORDS(EventKind, "wrapper entry", "wrapper exit", "forward node", "saving", "backward node",
               "gradient accumulation", "packing", "unpacking")

/// One event. Events are numbered by their place in CallRecord::events.
struct CallEvent {
    EventKind kind = EventKind::ForwardNode;
    /// Which call of a training loop it belongs to, from 0.
    std::size_t call = 0;
    /// How many wrappers are around it.
    std::size_t depth = 0;
    /// Index in CallRecord::wrappers for an entry or exit, and for a node the wrapper it runs in.
    std::optional<std::size_t> wrapper = {};
    /// Whether it is part of the backward.
    bool backward = false;
    /// What a list shows: the wrapper's class, the node's name, the input whose gradient is added to.
    std::string title = {};
    /// The node's target ("aten.mm.default"); empty for other events.
    std::string target = {};
    /// Time of the event itself; 0 for an entry.
    std::int64_t nanoseconds = 0;
    friend bool operator==(const CallEvent&, const CallEvent&) = default;
};
AOTSCOPE_MEMBERS(CallEvent, kind, call, depth, wrapper, backward, title, target, nanoseconds)

/// One passage through a wrapper.
struct WrapperCall {
    /// Index in aot::CompiledFunction::wrappers.
    std::size_t step = 0;
    /// PyTorch's class name.
    std::string name;
    std::size_t call = 0;
    /// Set for the part of AOTDispatchAutograd (and of wrappers inside it) that runs in the backward.
    bool backward = false;
    /// Events of its entry and exit.
    std::size_t entry = 0;
    std::optional<std::size_t> exit;
    /// What it is called with; what it passes on; what it gets back; what it returns. `argumentsAfterCall` is
    /// `arguments` again, after the call: where mutations of inputs are seen.
    std::vector<ValueState> arguments;
    std::vector<ValueState> passedOn;
    std::vector<ValueState> received;
    std::vector<ValueState> results;
    std::vector<ValueState> argumentsAfterCall;
    /// Time spent in the wrapper itself, without what it wraps.
    std::int64_t ownNanoseconds = 0;
    /// What it did, in words, one line each ("copied new data into arg 0").
    std::vector<std::string> actions;
};
AOTSCOPE_MEMBERS(WrapperCall, step, name, call, backward, entry, exit, arguments, passedOn, received, results,
                 argumentsAfterCall, ownNanoseconds, actions)

/// How one value of the compiled call compares with that of an eager call of the program.
struct ComparedValue {
    /// "output 0", "gradient of arg 1", "arg 2 after the call"
    std::string name;
    /// What differs in structure (base, view, requires_grad, grad_fn, version, sizes), in words; empty:
    /// nothing.
    std::string structure;
    /// Largest difference, divided by the largest magnitude of the eager tensor; nothing for what has no
    /// elements.
    std::optional<double> relativeError = {};
    /// The largest `relativeError` that counts as equal, and where that comes from ("4 roundings of f32").
    /// Nothing where no numbers were compared.
    std::optional<double> allowed = {};
    std::string limit = {};
    /// Why its numbers decide nothing ("random: …"); empty: they do.
    std::string notComparable = {};
    /// What makes its numbers differ, as far as the compiled graph shows it: "computed in bf16 by mm_1, which
    /// eager does not".
    std::vector<std::string> causes = {};
    /// By how much saved-tensors hooks change eager's value, as a fraction of its largest magnitude; nothing:
    /// there are none.
    std::optional<double> hookLoss = {};
    /// Whether structure and numbers agree, or nothing can be said of the numbers.
    bool agrees = true;

    [[nodiscard]] base::VerdictWord word() const;
};
AOTSCOPE_MEMBERS(ComparedValue, name, structure, relativeError, allowed, limit, notComparable, causes,
                 hookLoss, agrees)

/// "gradient of arg 1: 0.0033 apart, 4.8e-07 allowed (4 roundings of f32); computed in bf16 by mm_1, which
/// eager does not"
[[nodiscard]] std::string comparedValueText(const ComparedValue& value);

/// The compiled call beside the engine's own eager call of the same program on equal inputs.
struct EagerCallComparison {
    /// Why there was no comparison; empty: there is one.
    std::string skipped;
    std::vector<ComparedValue> values;
    /// Per call the sum of the mean squares of the outputs that require grad: compiled and eager.
    std::vector<double> losses;
    std::vector<double> eagerLosses;
    /// The configuration of both calls, a line each.
    std::vector<std::string> configuration = {};
    /// Whether only the compiled call failed.
    bool onlyCompiledFails = false;

    /// Whether it was compared and no value differs.
    [[nodiscard]] bool agrees() const;
    /// The verdict on all values together.
    [[nodiscard]] base::Verdict verdict() const;
};
AOTSCOPE_MEMBERS(EagerCallComparison, skipped, values, losses, eagerLosses, configuration, onlyCompiledFails)

/// Where a wrapper does, as PyTorch's does, something else than the program says: PyTorch's own result then
/// differs from eager.
struct Departure {
    /// Index in CallRecord::wrappers.
    std::size_t wrapper = 0;
    /// PyTorch's class name.
    std::string name;
    /// "output 0"
    std::string value;
    /// What it did, in words.
    std::string how;
    /// It ends the call; otherwise the call continues with its result.
    bool fails = false;
};
AOTSCOPE_MEMBERS(Departure, wrapper, name, value, how, fails)

struct CallRecord {
    std::vector<CallEvent> events;
    std::vector<WrapperCall> wrappers;
    /// What the outermost wrapper returned in the last call, and the caller's arguments after it.
    std::vector<ValueState> outputs;
    std::vector<ValueState> arguments;
    /// Gradients of the arguments that got one, named as they are.
    std::vector<ValueState> gradients;
    std::optional<EagerCallComparison> eager;
    std::vector<Departure> departures;
    std::int64_t nanoseconds = 0;
    /// What a person needs to judge it: synthetic values, a backward that could not be compiled ahead.
    std::vector<std::string> notes;
    /// Why the call ended early; events up to there are kept.
    std::optional<base::Error> error;
};
AOTSCOPE_MEMBERS(CallRecord, events, wrappers, outputs, arguments, gradients, eager, departures, nanoseconds,
                 notes, error)
using CallRecordPtr = std::shared_ptr<const CallRecord>;

/// The verdict on a call beside Dynamo's graph in eager mode. A call that fails is not supported if something
/// is missing here, and differs if eager mode does not fail.
[[nodiscard]] base::Verdict verdictOf(const CallRecord& record);
/// "RuntimeWrapper made output 0 again from …; …"; empty: every wrapper does what the program says.
[[nodiscard]] std::string departuresText(const CallRecord& record);

} // namespace aotscope::steps
