#pragma once

#include "support/corpus.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// The payloads of the corpus's trace logs, extracted without the program's own loader, so that tests of the
/// readers do not depend on it.
namespace aotscope::test {

struct LogPayload {
    /// "mlp_sgd.log:120 aot_joint_graph"
    std::string where;
    /// The record's kind, or the artifact's name.
    std::string kind;
    std::string text;
};

inline std::vector<std::filesystem::path> corpusLogs() {
    std::vector<std::filesystem::path> logs;
    for (const char* folder : {"traces", "traces-2.11", "traces-2.15", "tlparse-logs"}) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(corpusDir() / folder)) {
            const std::string name = entry.path().filename().string();
            if (entry.is_regular_file() &&
                (name.ends_with(".log") || name.ends_with(".log.xz") || name.ends_with("log.txt"))) {
                logs.push_back(entry.path());
            }
        }
    }
    std::sort(logs.begin(), logs.end());
    return logs;
}

/// The text of `"key": "value"` in a header; empty if it is absent.
inline std::string headerString(std::string_view header, std::string_view key) {
    const std::string wanted = '"' + std::string(key) + "\": \"";
    const std::size_t at = header.find(wanted);
    if (at == std::string_view::npos) {
        return {};
    }
    const std::size_t first = at + wanted.size();
    return std::string(header.substr(first, header.find('"', first) - first));
}

/// The kind of a record: its first key, or the name of an artifact.
inline std::string entryKind(std::string_view header) {
    const std::size_t brace = header.find("] {\"");
    if (brace == std::string_view::npos) {
        return {};
    }
    const std::string_view json = header.substr(brace + 4);
    const std::string kind(json.substr(0, json.find('"')));
    return kind == "artifact" ? headerString(json, "name") : kind;
}

/// Calls `visit(const LogPayload&)` for every payload of a log, in order.
template<typename Visit>
void forEachPayload(const std::filesystem::path& log, Visit&& visit) {
    const std::string text = readPlainOrXz(log);
    LogPayload payload;
    bool open = false;
    bool firstLine = true;
    std::size_t lineNumber = 0;
    const auto close = [&] {
        if (open) {
            visit(static_cast<const LogPayload&>(payload));
        }
        open = false;
    };
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line(text.data() + at, end - at);
        ++lineNumber;
        if (line.starts_with('\t')) {
            payload.text.append(firstLine ? "" : "\n").append(line.substr(1));
            firstLine = false;
        } else {
            close();
            payload = {};
            firstLine = true;
            payload.kind = entryKind(line);
            payload.where = log.filename().string() + ':' + std::to_string(lineNumber) + ' ' + payload.kind;
            open = line.find("\"has_payload\"") != std::string_view::npos;
        }
        at = end + 1;
    }
    close();
}

} // namespace aotscope::test
