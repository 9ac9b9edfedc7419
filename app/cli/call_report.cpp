#include "call_report.h"

#include "compile_answer.h"
#include "retrace_report.h"
#include "selection.h"
#include "table.h"

#include "judge/recorded_calls.h"

#include <algorithm>

namespace aotscope::cli {

base::Verdict verdictOf(const session::CallSnapshot& call) {
    if (call.record) {
        return steps::verdictOf(*call.record);
    }
    return {base::VerdictWord::NotSupported, "no record"};
}

namespace {

using steps::CallEvent;
using steps::CallRecord;
using steps::ComparedValue;
using steps::EventKind;
using steps::ValueState;
using steps::WrapperCall;

std::string changesText(const WrapperCall& call, const std::string& indent) {
    std::string text = linesOf(call.actions, indent);
    const auto add = [&](const std::vector<ValueState>& before, const std::vector<ValueState>& after,
                         const std::string& when) {
        for (const steps::ValueChange& change : steps::compareValues(before, after)) {
            if (change.kind == steps::ValueChangeKind::Unchanged ||
                change.kind == steps::ValueChangeKind::Moved) {
                continue;
            }
            const ValueState& value = change.after ? after[*change.after] : before[*change.before];
            text += textOf(indent, when, value.name, " ", change.kind,
                           change.text.empty() ? "" : ": " + change.text, "\n");
        }
    };
    add(call.arguments, call.passedOn, "passed on: ");
    add(call.arguments, call.argumentsAfterCall, "after the call: ");
    return text;
}

std::string eventText(const CallRecord& record, const CallEvent& event) {
    const std::string indent((event.depth + 1) * 2, ' ');
    std::string text =
        textOf(indent, event.kind, " ", event.title, event.target.empty() ? "" : " = " + event.target,
               event.nanoseconds > 0 ? "  " + durationText(event.nanoseconds) : "", "\n");
    if (event.kind == EventKind::WrapperExit && event.wrapper) {
        text += changesText(record.wrappers.at(*event.wrapper), indent + "    ");
    }
    return text;
}

/// Null: every value agrees, or nothing was compared.
const ComparedValue* firstDiffering(const session::CallSnapshot& call) {
    if (!call.record || !call.record->eager) {
        return nullptr;
    }
    const auto& values = call.record->eager->values;
    const auto found = std::ranges::find_if(values, [](const ComparedValue& each) { return !each.agrees; });
    return found == values.end() ? nullptr : &*found;
}

std::string lossesText(const steps::EagerCallComparison& eager) {
    std::string text;
    for (std::size_t i = 0; i < std::min(eager.losses.size(), eager.eagerLosses.size()); ++i) {
        text += textOf("  loss of call ", i, ": ", numberText(eager.losses[i]), ", eager ",
                       numberText(eager.eagerLosses[i]), "\n");
    }
    return text;
}

/// By how much the saved-tensors hooks themselves change eager's values; empty: there are none.
std::string hookLossText(const steps::EagerCallComparison& eager) {
    double worst = 0;
    bool hasHooks = false;
    for (const ComparedValue& value : eager.values) {
        hasHooks = hasHooks || value.hookLoss;
        worst = std::max(worst, value.hookLoss.value_or(0));
    }
    return hasHooks
               ? "; both with the same saved-tensors hooks, which change values by up to " + numberText(worst)
               : std::string();
}

std::string verdictLine(const session::CallSnapshot& call, bool explain) {
    return call.target.name + ": " + callVerdict(call) + "\n" +
           (explain ? explanationOf(verdictOf(call), "  ") : "");
}

std::string notesText(const session::CallSnapshot& call) {
    return call.record ? linesOf(call.record->notes, "  note: ") : std::string();
}

} // namespace

std::string callCacheText(const session::CallSnapshot& call) {
    std::string text = call.retraced ? cacheText(*call.retraced) : std::string();
    return call.partitionCache ? text + cacheText(*call.partitionCache, "cache of the partition") : text;
}

bool callAgrees(const session::CallSnapshot& call) {
    return call.record && !call.record->error && (!call.record->eager || call.record->eager->agrees());
}

std::string callVerdict(const session::CallSnapshot& call) {
    constexpr std::string_view eagerMode = "Dynamo's graph in eager mode";
    const base::Verdict verdict = verdictOf(call);

    if (!call.record || call.record->error) {
        return "not called, " + base::verdictText(verdict);
    }
    const CallRecord& record = *call.record;
    const std::string ran = textOf(record.events.size(), " events in ", durationText(record.nanoseconds));
    if (!record.eager) {
        return "called, " + ran;
    }
    switch (verdict.word) {
    case base::VerdictWord::Equal:
    case base::VerdictWord::EqualUpToNames: {
        double worst = 0;
        for (const ComparedValue& value : record.eager->values) {
            worst = std::max(worst, value.relativeError.value_or(0));
        }
        return textOf(verdict.word, " to ", eagerMode, " (", record.eager->values.size(),
                      " values, largest difference ", numberText(worst), "), ", ran,
                      hookLossText(*record.eager));
    }
    default:
        return textOf(verdict.word, verdict.word == base::VerdictWord::Differs ? " from " : " with ",
                      eagerMode, ": ", verdict.reason);
    }
}

std::string wrapperCallsText(const session::CallSnapshot& call) {
    std::string text;
    for (const WrapperCall& wrapper : call.record ? call.record->wrappers : std::vector<WrapperCall>()) {
        text += "  " + wrapper.name + (wrapper.backward ? " in the backward" : "") + ": " +
                (wrapper.exit ? durationText(wrapper.ownNanoseconds) : "did not return") + "\n";
        const std::string changes = changesText(wrapper, "    ");
        text += changes.empty() ? "    passed everything on unchanged\n" : changes;
    }
    return text + notesText(call);
}

CallAnswer callAnswer(const session::CallSnapshot& call, CallShown shown) {
    CallAnswer answer{.name = call.target.name,
                      .backend = call.backend,
                      .agrees = callAgrees(call),
                      .verdict = verdictOf(call),
                      .cache = call.retraced ? call.retraced->cache : std::nullopt,
                      .partitionCache = call.partitionCache,
                      .warnings = call.warnings,
                      .record = call.record};
    if (const ComparedValue* differing = firstDiffering(call)) {
        answer.firstDifference = *differing;
    }
    if (call.record && shown != CallShown::Events) {
        steps::CallRecord compared;
        compared.eager = call.record->eager;
        compared.departures = call.record->departures;
        compared.nanoseconds = call.record->nanoseconds;
        compared.notes = call.record->notes;
        compared.error = call.record->error;
        if (compared.eager && shown == CallShown::FirstDifference) {
            compared.eager->values.clear();
        }
        answer.record = std::make_shared<const steps::CallRecord>(std::move(compared));
    }
    return answer;
}

session::CallOptions withRecordedInputs(Program& program, const TargetChoice& choice,
                                        session::CallOptions options) {
    const session::RetraceTarget& target = choice.target;
    if (choice.log->traceLog() || !target.logged || !target.name.starts_with("units/")) {
        return options;
    }
    const auto calls = judge::readRecordedCalls(choice.log->path, target.name);
    const auto joint = program.session.graph(*target.logged);
    if (!calls || !joint || !(*joint)->graph) {
        return options;
    }
    if (auto recorded = judge::recordedArguments(*calls, *(*joint)->graph)) {
        options.inputs.merge(recorded->inputs);
        options.seed = recorded->seed.value_or(options.seed);
    }
    return options;
}

namespace {

/// Whether there was an eager call to compare it with.
bool isCompared(const session::CallSnapshot& call) {
    return call.record && call.record->eager && call.record->eager->skipped.empty();
}

/// The events in order, indented by the wrappers around them, with what each wrapper did and its own time;
/// then the comparison with Dynamo's graph in eager mode. `explain`: with all that is behind the verdict.
std::string callText(const session::CallSnapshot& call, bool explain) {
    std::string text = callCacheText(call);
    if (call.record) {
        std::size_t number = 0;
        for (const CallEvent& event : call.record->events) {
            if (call.record->events.back().call > 0 &&
                (&event == call.record->events.data() || event.call != number)) {
                text += textOf("  call ", event.call, "\n");
            }
            number = event.call;
            text += eventText(*call.record, event);
        }
        if (call.record->eager) {
            text += lossesText(*call.record->eager);
        }
    }
    return text + notesText(call) + warningsText(call.warnings) + verdictLine(call, explain);
}

/// Each value beside eager's: whether it agrees, the largest difference, and what differs in structure; then
/// the losses and the verdict.
std::string comparisonText(const session::CallSnapshot& call, bool explain) {
    if (!isCompared(call)) {
        return callCacheText(call) + verdictLine(call, explain);
    }
    Table table({"value", "verdict", numbers("largest difference"), numbers("allowed"), "structure"});
    const auto orDash = [](std::optional<double> number) { return number ? numberText(number) : "-"; };
    for (const ComparedValue& value : call.record->eager->values) {
        table.add({value.name, value.word(), orDash(value.relativeError), orDash(value.allowed),
                   value.structure.empty() ? "same" : value.structure});
    }
    return callCacheText(call) + table.text() + lossesText(*call.record->eager) +
           warningsText(call.warnings) + verdictLine(call, explain);
}

/// The first value that differs, in the order output, argument, gradient; else the verdict.
std::string firstDifferingText(const session::CallSnapshot& call, bool explain) {
    const ComparedValue* differing = firstDiffering(call);
    return callCacheText(call) +
           (differing == nullptr
                ? verdictLine(call, explain)
                : call.target.name + ": first difference from Dynamo's graph in eager mode: " +
                      steps::comparedValueText(*differing) + "\n") +
           warningsText(call.warnings);
}

std::string shownText(const session::CallSnapshot& call, CallShown shown, bool explain) {
    switch (shown) {
    case CallShown::Events:
        return callText(call, explain);
    case CallShown::Values:
        return comparisonText(call, explain);
    case CallShown::FirstDifference:
        return firstDifferingText(call, explain);
    }
    return {};
}

bool isGood(const session::CallSnapshot& call, CallShown shown) {
    return callAgrees(call) && (shown == CallShown::Events || isCompared(call));
}

} // namespace

int runWrappers(Program& program, const WrapperRunOptions& options) {
    const std::vector<TargetChoice> choices = selectTargets(program.open(options.files), options.id);
    bool allAgree = true;
    CallsAnswer answer;
    for (const TargetChoice& choice : choices) {
        session::CallCompiled command{choice.log->log, choice.target, {}, {}, {}};
        command.options.cache = options.cache;
        command.options.config = options.config;
        command.call = withRecordedInputs(program, choice, options.call);
        const auto snapshot = program.resultOf<session::CallSnapshotPtr>(command);
        const session::RetraceSnapshot& retraced = *snapshot->retraced;
        const aot::TorchVersion made = retraced.rules ? retraced.rules->release() : aot::unnamedVersion();
        allAgree = isGood(*snapshot, options.shown) && allAgree;
        if (options.json) {
            CallAnswer& function = answer.functions.emplace_back(callAnswer(*snapshot, options.shown));
            function.file = choice.log->path.filename().string();
            function.configuration = configurationAnswer(retraced.functorch, made, aot::touches::all);
        } else {
            program.console.result(choice.log->path.filename().string() + "\n" +
                                   shownText(*snapshot, options.shown, options.explain) +
                                   configurationText(retraced.functorch, made, aot::touches::all));
        }
    }
    if (choices.empty()) {
        throw usageFailure("There is nothing to call: no Dynamo graph" +
                           (options.id.empty() ? std::string() : " of " + options.id) + ".");
    }
    if (options.json) {
        program.console.result(answerText(answer));
    }
    return allAgree ? ExitYes : ExitNo;
}

} // namespace aotscope::cli
