#include "steps/step_breakpoint.h"

#include "ir/written_place.h"

#include "base/numbers.h"
#include "base/trimmed.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace aotscope::steps {

namespace {

using Kind = StepBreakpoint::Kind;

constexpr std::array<std::pair<std::string_view, Kind>, 4> named = {{{"wrapper:", Kind::Wrapper},
                                                                     {"node:", Kind::Node},
                                                                     {"op:", Kind::Operator},
                                                                     {"mutated:", Kind::Mutated}}};
constexpr std::array<std::pair<std::string_view, Kind>, 3> bare = {
    {{"nan", Kind::NaN}, {"inf", Kind::Infinity}, {"shape", Kind::Shape}}};
constexpr std::array<std::pair<std::string_view, double>, 5> units = {
    {{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"B", 1}}};

base::Error notUnderstood(std::string_view text) {
    return {.code = "step.breakpoint",
            .message = "\"" + std::string(text) + "\" is not a place to pause at.",
            .hint =
                "Write wrapper:NAME (wrapper:AOTDedupeWrapper), node:NAME (a node of the forward or "
                "backward graph), op:NAME (op:mm, op:aten.mm.default), FILE:LINE (model.py:41), nan, inf, "
                "above:NUMBER, shape, mutated:ARGUMENT (mutated:arg 2) or memory:BYTES (memory:64MB)."};
}

std::optional<double> readNumber(std::string_view text) {
    const auto number = base::wholeNumber<double>(text);
    return number && std::isfinite(*number) && *number >= 0 ? number : std::nullopt;
}

/// "64MB", "1.5 GB", "4096"
std::optional<double> readBytes(std::string_view text) {
    for (const auto& [unit, bytes] : units) {
        if (text.ends_with(unit)) {
            const auto number = readNumber(base::trimmed(text.substr(0, text.size() - unit.size())));
            return number ? std::optional(*number * bytes) : std::nullopt;
        }
    }
    return readNumber(text);
}

std::string bytesText(double number) {
    for (const auto& [unit, bytes] : units) {
        const double inUnits = number / bytes;
        if (inUnits >= 1 && inUnits * bytes == number && inUnits == std::floor(inUnits)) {
            return base::numberText(inUnits) + std::string(unit);
        }
    }
    return base::numberText(number) + "B";
}

bool isNode(const CallEvent& event) {
    return event.kind == EventKind::ForwardNode || event.kind == EventKind::BackwardNode;
}

/// Whether the breakpoint is on that event, before it runs.
bool isBefore(const StepBreakpoint& breakpoint, const CallEvent& event, const EventFacts& facts) {
    switch (breakpoint.kind) {
    case Kind::Wrapper:
        return event.kind == EventKind::WrapperEntry && event.title == breakpoint.text;
    case Kind::Node:
        return isNode(event) && event.title == breakpoint.text;
    case Kind::Operator:
        return isNode(event) && ir::isOperatorNamed(event.target, breakpoint.text);
    case Kind::Line:
        return isNode(event) && facts.origin && facts.origin->source &&
               ir::isAtLine(*facts.origin->source, {breakpoint.text, static_cast<int>(breakpoint.number)});
    default:
        return false;
    }
}

/// Whether the condition holds for that event, after it ran.
bool holdsAfter(const StepBreakpoint& breakpoint, const EventFacts& facts) {
    switch (breakpoint.kind) {
    case Kind::NaN:
        return facts.nanCount > 0;
    case Kind::Infinity:
        return facts.infCount > 0;
    case Kind::Above:
        return facts.infCount > 0 || facts.largest > breakpoint.number;
    case Kind::Shape:
        return facts.shapeChanged;
    case Kind::Mutated:
        return std::ranges::find(facts.mutated, breakpoint.text) != facts.mutated.end();
    case Kind::Memory:
        return static_cast<double>(facts.aliveBytes) > breakpoint.number;
    default:
        return false;
    }
}

/// Whether only the first event at which the condition holds counts.
bool countsOnce(Kind kind) {
    return kind == Kind::NaN || kind == Kind::Infinity || kind == Kind::Above || kind == Kind::Memory;
}

/// A line is met when the node before, in the same graph, comes from another one.
bool entersLine(const StepBreakpoint& breakpoint, std::size_t at, std::span<const CallEvent> events,
                std::span<const EventFacts> facts) {
    return at == 0 || events[at - 1].kind != events[at].kind ||
           !isBefore(breakpoint, events[at - 1], facts[at - 1]);
}

bool isFirst(const StepBreakpoint& breakpoint, std::size_t at, std::span<const CallEvent> events,
             std::span<const EventFacts> facts) {
    for (std::size_t earlier = at; earlier-- > 0 && events[earlier].call == events[at].call;) {
        if (holdsAfter(breakpoint, facts[earlier])) {
            return false;
        }
    }
    return true;
}

} // namespace

base::Result<StepBreakpoint> StepBreakpoint::parse(std::string_view written) {
    const std::string_view text = base::trimmed(written);
    for (const auto& [name, kind] : bare) {
        if (text == name) {
            return StepBreakpoint{kind};
        }
    }
    for (const auto& [prefix, kind] : named) {
        if (text.starts_with(prefix)) {
            const std::string_view name = base::trimmed(text.substr(prefix.size()));
            return name.empty() ? base::Result<StepBreakpoint>(notUnderstood(written))
                                : StepBreakpoint{kind, std::string(name), 0};
        }
    }
    constexpr std::string_view above = "above:";
    constexpr std::string_view memory = "memory:";
    if (text.starts_with(above) || text.starts_with(memory)) {
        const bool isMemory = text.starts_with(memory);
        const std::string_view value = base::trimmed(text.substr(isMemory ? memory.size() : above.size()));
        const std::optional<double> number = isMemory ? readBytes(value) : readNumber(value);
        return number ? StepBreakpoint{isMemory ? Kind::Memory : Kind::Above, {}, *number}
                      : base::Result<StepBreakpoint>(notUnderstood(written));
    }
    if (const auto line = ir::readLine(text)) {
        return StepBreakpoint{Kind::Line, std::string(line->file), static_cast<double>(line->line)};
    }
    return notUnderstood(written);
}

std::string StepBreakpoint::toText() const {
    for (const auto& [name, bareKind] : bare) {
        if (kind == bareKind) {
            return std::string(name);
        }
    }
    for (const auto& [prefix, namedKind] : named) {
        if (kind == namedKind) {
            return std::string(prefix) + text;
        }
    }
    switch (kind) {
    case Kind::Above:
        return "above:" + base::numberText(number);
    case Kind::Memory:
        return "memory:" + bytesText(number);
    default:
        return text + ":" + std::to_string(static_cast<int>(number));
    }
}

const StepBreakpoint* breakpointAt(std::span<const StepBreakpoint> breakpoints, std::size_t next,
                                   std::span<const CallEvent> events, std::span<const EventFacts> facts) {
    for (const StepBreakpoint& breakpoint : breakpoints) {
        if (next < events.size() && next < facts.size() && isBefore(breakpoint, events[next], facts[next]) &&
            (breakpoint.kind != Kind::Line || entersLine(breakpoint, next, events, facts))) {
            return &breakpoint;
        }
        if (next > 0 && next - 1 < facts.size() && holdsAfter(breakpoint, facts[next - 1]) &&
            (!countsOnce(breakpoint.kind) || isFirst(breakpoint, next - 1, events, facts))) {
            return &breakpoint;
        }
    }
    return nullptr;
}

} // namespace aotscope::steps
