#include "load/compile_notes.h"

#include "load/parsed_json.h"

#include "base/numbers.h"
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

ErrorPlace errorPlace(std::string_view payload) {
    constexpr std::string_view start = "\nfrom user code:";
    constexpr std::string_view file = "  File \"";
    constexpr std::string_view line = "\", line ";
    ErrorPlace place;
    const std::size_t from = payload.rfind(start);
    if (from == std::string_view::npos) {
        return place;
    }
    payload.remove_prefix(from + start.size());
    for (std::size_t at = payload.find(file); at != std::string_view::npos; at = payload.find(file, at)) {
        at += file.size();
        const std::string_view rest = payload.substr(at, payload.find('\n', at) - at);
        const std::size_t end = rest.find(line);
        if (end == std::string_view::npos) {
            continue;
        }
        if (const auto number = base::leadingNumber<int>(rest.substr(end + line.size()))) {
            place = {std::string(rest.substr(0, end)), *number};
        }
    }
    return place;
}

} // namespace aotscope::load
