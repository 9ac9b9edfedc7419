#include "evidence/log_evidence.h"

#include "passes/program_warnings.h"

#include "base/characters.h"
#include "base/numbers.h"
#include "base/text_search.h"

#include <optional>
#include <string>

namespace aotscope::evidence {

namespace {

constexpr std::string_view source = "source=";
constexpr std::string_view functionType = "torch.autograd.function.FunctionMeta'";

/// "ScaledSin" of "source=G['ops'].ScaledSin, accessed_by=…" or "source=G['ScaledSin'], …".
std::string classIn(std::string_view line) {
    const std::size_t begin = line.find(source);
    if (begin == std::string_view::npos) {
        return {};
    }
    std::string_view path = line.substr(begin + source.size());
    path = path.substr(0, path.find(", accessed_by"));
    while (!path.empty() && (path.back() == ']' || path.back() == '\'')) {
        path.remove_suffix(1);
    }
    std::size_t start = path.size();
    while (start > 0 && base::isWordCharacter(path[start - 1])) {
        --start;
    }
    return std::string(path.substr(start));
}

/// Reads "…  # ops/scaled.py:148 in forward" at the end of a guard's line.
std::optional<passes::GuardedFunction> placeIn(std::string_view line) {
    const std::size_t in = line.rfind(" in ");
    const std::size_t hash = line.rfind("  # ", in);
    const std::size_t colon = line.rfind(':', in);
    if (in == std::string_view::npos || hash == std::string_view::npos || colon == std::string_view::npos ||
        colon < hash) {
        return std::nullopt;
    }
    passes::GuardedFunction found;
    found.file = line.substr(hash + 4, colon - hash - 4);
    const auto number = base::wholeNumber<int>(line.substr(colon + 1, in - colon - 1));
    found.line = number.value_or(0);
    return number ? std::optional(std::move(found)) : std::nullopt;
}

std::vector<passes::GuardedFunction> functionsInGuards(std::string_view guards) {
    std::vector<passes::GuardedFunction> functions;
    if (!base::contains(guards, functionType)) {
        return functions;
    }
    std::vector<std::string_view> lines;
    while (!guards.empty()) {
        lines.push_back(base::takePart(guards, '\n'));
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (!base::contains(lines[i], functionType)) {
            continue;
        }
        const std::string name = classIn(lines[i]);
        const std::string forward = name.empty() ? std::string() : ".forward,";
        // The class itself is guarded on one of the next lines, its methods below that.
        std::optional<passes::GuardedFunction> place;
        bool hasForward = false;
        for (std::size_t next = i + 1; next < lines.size() && next < i + 12; ++next) {
            if (base::contains(lines[next], functionType)) {
                break;
            }
            place = place ? place : placeIn(lines[next]);
            hasForward =
                hasForward || (base::contains(lines[next], source) && base::contains(lines[next], forward));
        }
        if (!name.empty() && place && hasForward) {
            place->name = name;
            functions.push_back(*std::move(place));
        }
    }
    return functions;
}

} // namespace

std::vector<passes::GuardedFunction> guardedFunctions(const LogEvidence& evidence) {
    for (const load::RecordId record : evidence.after()) {
        if (evidence.kind(record) == load::RecordKind::DynamoCppGuards) {
            return functionsInGuards(evidence.payload(record));
        }
    }
    return {};
}

} // namespace aotscope::evidence
