#include "step_report.h"

#include "compile_answer.h"
#include "selection.h"
#include "table.h"

#include "base/joined.h"
#include "base/mapped.h"

#include <algorithm>
#include <vector>

namespace aotscope::cli {

namespace {

using steps::CallEvent;
using steps::StepPause;
using steps::ValueDetails;
using steps::ValueState;
using steps::WrapperCall;

constexpr std::size_t eventsAround = 20;

std::string depthIndent(const CallEvent& event) {
    return std::string(2 * event.depth, ' ');
}

std::string eventLine(const CallEvent& event) {
    std::string text = std::string(base::wordOf(event.kind)) + " " + event.title;
    return event.target.empty() ? text : text + " (" + event.target + ")";
}

/// "float32 [4, 3]"
std::string metaText(const ValueState& state) {
    if (!state.meta) {
        return state.number;
    }
    return std::string(ir::dtypeName(state.meta->dtype)) + " [" + base::joined(state.meta->shape) + "]";
}

/// Indexes in the record's wrappers of those around the next event, outermost first.
std::vector<std::size_t> stackOf(const StepPause& pause) {
    std::vector<std::size_t> open;
    const auto& events = pause.record->events;
    for (std::size_t i = 0; i < pause.next && i < events.size(); ++i) {
        if (events[i].kind == steps::EventKind::WrapperEntry && events[i].wrapper) {
            open.push_back(*events[i].wrapper);
        } else if (events[i].kind == steps::EventKind::WrapperExit && !open.empty()) {
            open.pop_back();
        }
    }
    return open;
}

/// A value that changes on its way into a wrapper or out of it, as "arg 1: aliased (…)".
std::vector<std::string> changesOf(const std::vector<ValueState>& before,
                                   const std::vector<ValueState>& after) {
    std::vector<std::string> lines;
    for (const steps::ValueChange& change : steps::compareValues(before, after)) {
        if (change.kind == steps::ValueChangeKind::Unchanged) {
            continue;
        }
        const std::string& name = change.after ? after[*change.after].name : before[*change.before].name;
        lines.push_back(textOf(name, ": ", change.kind, change.text.empty() ? "" : " (" + change.text + ")"));
    }
    return lines;
}

/// Empty too where it has not happened yet.
std::string indentedList(const std::string& title, const std::optional<std::vector<std::string>>& lines) {
    return !lines || lines->empty() ? std::string() : "    " + title + "\n" + linesOf(*lines, "      ");
}

/// The fused kernel that the next event is a part of; empty: none, or steps are not by fused kernel.
std::string kernelOf(const StepPause& pause) {
    return pause.facts && pause.next < pause.facts->size() ? (*pause.facts)[pause.next].kernel
                                                           : std::string();
}

std::string histogramText(const std::vector<std::uint64_t>& counts) {
    constexpr std::string_view bars[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const std::uint64_t most = *std::ranges::max_element(counts);
    std::string text;
    for (const std::uint64_t count : counts) {
        // Anything at all is seen.
        const std::uint64_t height = most == 0 ? 0 : (count * 8 + most - 1) / most;
        text += bars[height];
    }
    return text;
}

} // namespace

std::string standText(const StepPause& pause) {
    const auto& events = pause.record->events;
    std::string text;
    if (pause.next >= events.size()) {
        text = "At the end, after " + std::to_string(events.size()) + " events";
    } else {
        const CallEvent& event = events[pause.next];
        text = "Before event " + std::to_string(pause.next) + ": " + eventLine(event);
        text += event.call > 0 ? ", call " + std::to_string(event.call) : "";
    }
    text += "; " + pause.reason + "\n";
    std::string around;
    for (const std::size_t wrapper : stackOf(pause)) {
        around += (around.empty() ? "  in " : " > ") + pause.record->wrappers[wrapper].name;
    }
    text += around.empty() ? "" : around + "\n";
    if (pause.facts && pause.next < pause.facts->size()) {
        const auto& origin = (*pause.facts)[pause.next].origin;
        if (origin && origin->source) {
            text += "  " + origin->source->file + ":" + std::to_string(origin->source->line) + " " +
                    origin->source->code + "\n";
        }
    }
    if (const std::string kernel = kernelOf(pause); !kernel.empty()) {
        text += "  in the fused kernel " + kernel + "\n";
    }
    text += textOf("  ", pause.values.size(), " values; ", bytesText(pause.checkpointBytes), " of ",
                   bytesText(pause.checkpointLimit), " kept for going back, ",
                   counted(pause.checkpoints.size(), "checkpoint"), "\n");
    return text + linesOf(pause.notes, "  Note: ");
}

std::string eventsText(const StepPause& pause) {
    const auto& events = pause.record->events;
    const std::size_t first = pause.next > eventsAround ? pause.next - eventsAround : 0;
    const std::size_t last = std::min(events.size(), pause.next + eventsAround + 1);
    std::string text = first > 0 ? "     … " + std::to_string(first) + " events before\n" : "";
    for (std::size_t i = first; i < last; ++i) {
        text += (i == pause.next ? "  -> " : "     ") + std::to_string(i) + "  " + depthIndent(events[i]) +
                eventLine(events[i]) + "\n";
    }
    if (pause.next >= events.size()) {
        return text + "  -> the end\n";
    }
    return last < events.size() ? textOf(text, "     … ", events.size() - last, " more known\n") : text;
}

std::string wrapperStackText(const StepPause& pause) {
    std::string text;
    for (const WrapperAround& around : wrapperStack(pause)) {
        text += textOf("  ", around.wrapper, around.backward ? " (backward)" : "", ", ", around.arguments,
                       " arguments\n", indentedList("passed on to what it wraps:", around.passedOn),
                       indentedList("returned of what it received:", around.returned),
                       indentedList("arguments after the call:", around.argumentsAfter));
    }
    return text.empty() ? "No wrapper is around this event.\n" : text;
}

std::string valuesText(const StepPause& pause) {
    Table table({"value", "type", numbers("bytes"), numbers("version"), numbers("min"), numbers("mean"),
                 numbers("max"), numbers("nan"), numbers("inf")});
    const auto some = [](std::int64_t count) { return count == 0 ? "" : std::to_string(count); };
    for (const ValueDetails& value : pause.values) {
        const bool isTensor = value.state.isTensor();
        table.add(
            {value.state.name, metaText(value.state), isTensor ? bytesText(value.state.storageBytes) : "",
             isTensor ? std::to_string(value.state.version) : "", numberText(value.minimum),
             numberText(value.mean), numberText(value.maximum), some(value.nanCount), some(value.infCount)});
    }
    return table.empty() ? "No values are alive here.\n" : table.text(0);
}

std::string valueText(const StepPause& pause, std::string_view name) {
    const std::optional<ValueDetails> value = tryValue(pause, name);
    if (!value) {
        auto names = base::mapped(pause.values, [](const ValueDetails& each) { return each.state.name; });
        return textOf("No value named \"", name, "\" is alive here. There are: ", listed(names), ".\n");
    }
    const ValueState& state = value->state;
    if (!state.isTensor()) {
        return state.name + " = " + state.number + "\n";
    }
    std::string text = state.name + ": " + metaText(state) + ", version " + std::to_string(state.version) +
                       ", storage " + std::to_string(state.storage) + " of " + bytesText(state.storageBytes);
    text += state.gradFn.empty() ? "" : ", grad_fn " + state.gradFn;
    text += state.meta->requiresGrad.value_or(false) ? ", requires grad\n" : "\n";
    if (value->minimum) {
        text += "  min " + numberText(value->minimum) + ", mean " + numberText(value->mean) + ", max " +
                numberText(value->maximum) + "\n";
    }
    if (value->nanCount + value->infCount > 0) {
        text += textOf("  ", value->nanCount, " NaN, ", value->infCount, " infinite\n");
    }
    if (!value->histogram.empty()) {
        text += "  [" + histogramText(value->histogram) + "]\n";
    }
    return text;
}

StepStand standAnswer(const StepPause& pause) {
    const auto& events = pause.record->events;
    return {.next = pause.next,
            .event = pause.next < events.size() ? std::optional(events[pause.next]) : std::nullopt,
            .kernel = kernelOf(pause),
            .reason = pause.reason,
            .refused = pause.refused,
            .knownEvents = events.size(),
            .values = pause.values.size(),
            .checkpoints = pause.checkpoints,
            .checkpointBytes = pause.checkpointBytes,
            .checkpointLimit = pause.checkpointLimit,
            .generator = pause.generator,
            .notes = pause.notes};
}

std::vector<WrapperAround> wrapperStack(const StepPause& pause) {
    std::vector<std::size_t> indexes = stackOf(pause);
    if (pause.next < pause.record->events.size()) {
        const CallEvent& event = pause.record->events[pause.next];
        if (event.kind == steps::EventKind::WrapperEntry && event.wrapper) {
            indexes.push_back(*event.wrapper);
        }
    }
    return base::mapped(indexes, [&](const std::size_t index) {
        const WrapperCall& call = pause.record->wrappers[index];
        WrapperAround around{call.name, call.backward, call.arguments.size()};
        if (pause.next > call.entry + 1 && !call.passedOn.empty()) {
            around.passedOn = changesOf(call.arguments, call.passedOn);
        }
        if (call.exit && *call.exit < pause.next) {
            around.returned = changesOf(call.received, call.results);
            around.argumentsAfter = changesOf(call.arguments, call.argumentsAfterCall);
        }
        return around;
    });
}

std::optional<ValueDetails> tryValue(const StepPause& pause, std::string_view name) {
    const auto found = std::ranges::find_if(
        pause.values, [&](const ValueDetails& value) { return value.state.name == name; });
    return found == pause.values.end() ? std::nullopt : std::optional(*found);
}

} // namespace aotscope::cli
