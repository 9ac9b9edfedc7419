#include "load/compile_notes.h"

#include "load/python_json.h"

#include "ir/source_stack.h"

#include "base/text_search.h"
#include "base/trimmed.h"

#include <algorithm>

namespace aotscope::load {

std::string graphBreakReason(std::string_view payload) {
    payload = payload.substr(0, payload.find("\nUser code traceback:"));
    for (const std::string_view start : {"Graph Break Reason: ", "Reason: "}) {
        if (const std::size_t at = payload.find(start); at != std::string_view::npos) {
            payload.remove_prefix(at + start.size());
            break;
        }
    }
    return std::string(base::trimmed(payload));
}

std::string headline(std::string_view reason) {
    std::string said;
    while (!reason.empty()) {
        const std::string_view line = base::trimmed(base::takePart(reason, '\n'));
        if (line.empty()) {
            continue;
        }
        const bool leadsUp = line.ends_with(':') && !base::trimmed(reason).empty();
        if (leadsUp && line.starts_with("Encountered graph break")) {
            continue; // It only names the bytecode; the next line has the reason.
        }
        said += (said.empty() ? "" : " ") + std::string(line);
        if (!leadsUp) {
            break;
        }
    }
    return said;
}

std::string graphBreakPlace(std::string_view payload) {
    constexpr std::string_view start = "Graph break in user code at ";
    if (!payload.starts_with(start)) {
        return {};
    }
    payload.remove_prefix(start.size());
    payload = payload.substr(0, payload.find('\n'));
    const std::size_t folder = payload.rfind('/');
    return std::string(base::trimmed(payload.substr(folder == std::string_view::npos ? 0 : folder + 1)));
}

std::vector<std::string> recompileReasons(std::string_view payload) {
    std::vector<std::string> out;
    const ParsedJson json(payload);
    if (json.root().error() != simdjson::SUCCESS) {
        out.emplace_back(base::trimmed(payload));
    } else if (const auto text = valueAs<std::string_view>(json.root())) {
        out.emplace_back(base::trimmed(*text));
    } else if (const auto list = valueAs<simdjson::dom::array>(json.root())) {
        for (const auto item : *list) {
            const auto reason = valueAs<std::string_view>(item);
            out.push_back(reason ? std::string(base::trimmed(*reason)) : simdjson::minify(item));
        }
    } else {
        out.push_back(simdjson::minify(json.root().value_unsafe()));
    }
    return out;
}

std::string torchVersion(std::string_view payload) {
    const ParsedJson json(payload);
    return std::string(valueAs<std::string_view>(json.root()["pytorch_version"]).value_or(""));
}

std::string errorOf(std::string_view payload) {
    // A traceback ends with "Type: message"; this is its first line after "Traceback" that is not indented.
    payload = base::trimmed(payload);
    const std::size_t from = payload.rfind("\nTraceback (most recent call last)");
    if (from != std::string_view::npos) {
        payload.remove_prefix(from + 1);
    }
    if (payload.starts_with("Traceback")) {
        std::size_t line = payload.find('\n');
        while (line != std::string_view::npos && line + 1 < payload.size() && payload[line + 1] == ' ') {
            line = payload.find('\n', line + 1);
        }
        payload.remove_prefix(line == std::string_view::npos ? 0 : line + 1);
    }
    return std::string(payload.substr(0, payload.find("\n\nfrom user code")));
}

std::optional<ir::SourceLocation> errorPlace(std::string_view payload) {
    constexpr std::string_view start = "\nfrom user code:";
    const std::size_t from = payload.rfind(start);
    payload.remove_prefix(from == std::string_view::npos ? payload.size() : from + start.size());
    std::optional<ir::SourceLocation> place;
    while (!payload.empty()) {
        if (auto frame = ir::frameOf(base::trimmed(base::takePart(payload, '\n')))) {
            place = std::move(frame);
        }
    }
    return place;
}

} // namespace aotscope::load
