#include "evidence/guarded_functions.h"

#include "base/numbers.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>

namespace aotscope::evidence {

namespace {

constexpr std::string_view source = "source=";
constexpr std::string_view functionType = "torch.autograd.function.FunctionMeta'";

std::vector<std::string_view> linesOf(std::string_view text) {
    std::vector<std::string_view> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

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
    while (start > 0 &&
           (std::isalnum(static_cast<unsigned char>(path[start - 1])) != 0 || path[start - 1] == '_')) {
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

} // namespace

std::vector<passes::GuardedFunction> functionsInGuards(std::string_view guards) {
    std::vector<passes::GuardedFunction> functions;
    if (guards.find(functionType) == std::string_view::npos) {
        return functions;
    }
    const std::vector<std::string_view> lines = linesOf(guards);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].find(functionType) == std::string_view::npos) {
            continue;
        }
        const std::string name = classIn(lines[i]);
        const std::string forward = name.empty() ? std::string() : ".forward,";
        // The class itself is guarded on one of the next lines, its methods below that.
        std::optional<passes::GuardedFunction> place;
        bool hasForward = false;
        for (std::size_t next = i + 1; next < lines.size() && next < i + 12; ++next) {
            if (lines[next].find(functionType) != std::string_view::npos) {
                break;
            }
            place = place ? place : placeIn(lines[next]);
            hasForward = hasForward || (lines[next].find(source) != std::string_view::npos &&
                                        lines[next].find(forward) != std::string_view::npos);
        }
        if (!name.empty() && place && hasForward) {
            place->name = name;
            functions.push_back(*std::move(place));
        }
    }
    return functions;
}

std::vector<passes::GuardedFunction> guardedFunctions(const LogEvidence& evidence) {
    for (const load::RecordId record : evidence.after()) {
        if (evidence.kind(record) == load::RecordKind::DynamoCppGuards) {
            return functionsInGuards(evidence.payload(record));
        }
    }
    return {};
}

} // namespace aotscope::evidence
