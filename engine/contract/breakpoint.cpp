#include "contract/breakpoint.h"

#include "aot/compile.h"
#include "base/joined.h"
#include "ir/written_place.h"

#include "base/trimmed.h"

#include <algorithm>
#include <array>
#include <utility>

namespace aotscope::session {
namespace {

using Kind = Breakpoint::Kind;

using Prefixed = std::pair<std::string_view, Kind>;
constexpr std::array prefixes = {Prefixed{"op:", Kind::Operator}, Prefixed{"node:", Kind::Node},
                                 Prefixed{"program:", Kind::ProgramNode}, Prefixed{"stage:", Kind::Stage}};

/// Stages with a breakpoint. Before the first stage nothing is known; before the last one all guards exist.
constexpr std::array stages = {aot::StageKind::PreCompileWrappers, aot::StageKind::JointTrace,
                               aot::StageKind::InferenceTrace, aot::StageKind::ExportTrace};

bool isStage(std::string_view name) {
    return std::ranges::any_of(stages, [&](aot::StageKind stage) { return base::wordOf(stage) == name; });
}

std::string stageNames() {
    return base::joined(stages, ", ", [](const aot::StageKind stage) { return base::wordOf(stage); });
}

base::Error notUnderstood(std::string_view text) {
    return {.code = "retrace.breakpoint",
            .message = "\"" + std::string(text) + "\" is not a place to pause at.",
            .hint = "Write FILE:LINE (model.py:41), op:NAME (op:mm, op:aten.mm.default), node:NAME (a node "
                    "of the traced graph), program:NAME (a node of the Dynamo graph), stage:NAME (" +
                    stageNames() + ") or guard."};
}

} // namespace

base::Result<Breakpoint> Breakpoint::parse(std::string_view written) {
    const std::string_view text = base::trimmed(written);
    if (text == "guard") {
        return Breakpoint{};
    }
    for (const auto& [prefix, kind] : prefixes) {
        if (text.starts_with(prefix)) {
            const std::string_view name = base::trimmed(text.substr(prefix.size()));
            if (name.empty() || (kind == Kind::Stage && !isStage(name))) {
                return notUnderstood(written);
            }
            return Breakpoint{kind, std::string(name), 0};
        }
    }
    if (const auto place = ir::readLine(text)) {
        return Breakpoint{Kind::Line, std::string(place->file), place->line};
    }
    return notUnderstood(written);
}

std::string Breakpoint::toText() const {
    if (kind == Kind::Guard) {
        return "guard";
    }
    if (kind == Kind::Line) {
        return text + ":" + std::to_string(line);
    }
    const auto* const prefixed = std::ranges::find(prefixes, kind, &Prefixed::second);
    return prefixed == prefixes.end() ? text : std::string(prefixed->first) + text;
}

bool Breakpoint::isAt(const ir::SourceLocation& source) const {
    return kind == Kind::Line && ir::isAtLine(source, {text, line});
}

bool Breakpoint::isOperator(std::string_view target) const {
    return kind == Kind::Operator && ir::isOperatorNamed(target, text);
}

} // namespace aotscope::session
