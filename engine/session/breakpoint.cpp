#include "session/breakpoint.h"

#include "aot/pipeline.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace aotscope::session {
namespace {

using Kind = Breakpoint::Kind;

constexpr std::array<std::pair<std::string_view, Kind>, 4> prefixes = {{{"op:", Kind::Operator},
                                                                        {"node:", Kind::Node},
                                                                        {"program:", Kind::ProgramNode},
                                                                        {"stage:", Kind::Stage}}};

/// Stages with a breakpoint. Before the first stage nothing is known; before the last one all guards exist.
constexpr std::array stages = {aot::StageKind::PreCompileWrappers, aot::StageKind::JointTrace,
                               aot::StageKind::InferenceTrace, aot::StageKind::ExportTrace};

bool isStage(std::string_view name) {
    return std::ranges::any_of(stages, [&](aot::StageKind stage) { return stageName(stage) == name; });
}

std::string stageNames() {
    std::string text;
    for (const aot::StageKind stage : stages) {
        text += (text.empty() ? "" : ", ") + std::string(stageName(stage));
    }
    return text;
}

base::Error notUnderstood(std::string_view text) {
    return {.code = "retrace.breakpoint",
            .message = "\"" + std::string(text) + "\" is not a place to pause at.",
            .hint = "Write FILE:LINE (model.py:41), op:NAME (op:mm, op:aten.mm.default), node:NAME (a node "
                    "of the traced graph), program:NAME (a node of the Dynamo graph), stage:NAME (" +
                    stageNames() + ") or guard."};
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view spaces = " \t";
    const std::size_t first = text.find_first_not_of(spaces);
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

} // namespace

base::Result<Breakpoint> Breakpoint::parse(std::string_view written) {
    const std::string_view text = trimmed(written);
    if (text == "guard") {
        return Breakpoint{};
    }
    for (const auto& [prefix, kind] : prefixes) {
        if (text.starts_with(prefix)) {
            const std::string_view name = trimmed(text.substr(prefix.size()));
            if (name.empty() || (kind == Kind::Stage && !isStage(name))) {
                return notUnderstood(written);
            }
            return Breakpoint{kind, std::string(name), 0};
        }
    }
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || colon == 0) {
        return notUnderstood(written);
    }
    Breakpoint made{Kind::Line, std::string(text.substr(0, colon)), 0};
    const auto [end, failed] = std::from_chars(text.data() + colon + 1, text.data() + text.size(), made.line);
    if (failed != std::errc() || end != text.data() + text.size() || made.line < 1) {
        return notUnderstood(written);
    }
    return made;
}

std::string Breakpoint::toText() const {
    if (kind == Kind::Guard) {
        return "guard";
    }
    if (kind == Kind::Line) {
        return text + ":" + std::to_string(line);
    }
    for (const auto& [prefix, prefixed] : prefixes) {
        if (prefixed == kind) {
            return std::string(prefix) + text;
        }
    }
    return text;
}

bool Breakpoint::isAt(const ir::SourceLocation& source) const {
    if (kind != Kind::Line || source.line != line || !source.file.ends_with(text)) {
        return false;
    }
    const std::size_t before = source.file.size() - text.size();
    return before == 0 || text.front() == '/' || source.file[before - 1] == '/';
}

bool Breakpoint::isOperator(std::string_view target) const {
    if (kind != Kind::Operator) {
        return false;
    }
    const std::size_t overload = target.rfind('.');
    const std::string_view packet = target.substr(0, overload);
    const std::size_t space = packet.find('.');
    return target == text || packet == text ||
           (space != std::string_view::npos && packet.substr(space + 1) == text);
}

} // namespace aotscope::session
