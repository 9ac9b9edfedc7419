#pragma once

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

/// A trace log without everything that AOTAutograd wrote.
namespace aotscope::test {

/// A header line and its payload.
struct LoggedRecord {
    std::string header;
    std::string payload;
    /// "aot_joint_graph"; for an artifact "artifact " and its name.
    std::string key;
    /// The compile's ids, as text.
    std::string compile;
};

inline std::vector<LoggedRecord> recordsOf(const std::string& log) {
    std::vector<LoggedRecord> records;
    std::istringstream in(log);
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with('\t')) {
            if (!records.empty()) {
                records.back().payload += line + '\n';
            }
            continue;
        }
        LoggedRecord& record = records.emplace_back();
        record.header = line + '\n';
        const std::size_t brace = line.find('{');
        const auto json = brace == std::string::npos
                              ? nlohmann::json()
                              : nlohmann::json::parse(line.substr(brace), nullptr, false);
        if (!json.is_object()) {
            continue;
        }
        for (const auto& [key, value] : json.items()) {
            if (key == "frame_id" || key == "frame_compile_id" || key == "attempt" ||
                key == "compiled_autograd_id" || key == "rank") {
                record.compile += key + value.dump() + ' ';
            } else if (key == "artifact" && value.is_object()) {
                record.key = "artifact " + value.value("name", "");
            } else if (key != "has_payload" && key != "stack") {
                record.key = key;
            }
        }
    }
    return records;
}

/// Whether a record describes tensors, symbols or guards. Both Dynamo and AOTAutograd write these.
inline bool isDescription(const std::string& key) {
    constexpr std::string_view kinds[] = {"describe_",          "create_",
                                          "guard_added",        "symbolic_shape_",
                                          "expression_created", "propagate_real_tensors"};
    return std::ranges::any_of(kinds, [&](std::string_view kind) { return key.starts_with(kind); });
}

/// Whether only AOTAutograd, or something after it, writes such a record. The configuration
/// "torch._functorch.config" is printed by its code but belongs to the process, so it stays.
inline bool isAnswer(const std::string& key) {
    constexpr std::string_view kinds[] = {"aot_", "artifact aot", "bwd_compilation_metrics",
                                          "chromium_event"};
    return std::ranges::any_of(kinds, [&](std::string_view kind) { return key.starts_with(kind); });
}

/// Keeps the records of Dynamo and of the process; descriptions only if Dynamo wrote them before a graph; and
/// of the guards only the one on the global state, because others contain what AOTAutograd found out about
/// symbols.
inline std::string withoutAnswers(const std::string& log) {
    std::vector<LoggedRecord> records = recordsOf(log);
    // Going backwards from a graph, true until the start of its compile or the previous graph.
    std::map<std::string, bool> isOnTheWay;
    std::string kept;
    std::vector<bool> keeps(records.size());
    for (std::size_t i = records.size(); i-- > 0;) {
        const LoggedRecord& record = records[i];
        bool& dynamo = isOnTheWay[record.compile];
        keeps[i] = isDescription(record.key) ? dynamo : !isAnswer(record.key);
        if (record.key == "dynamo_output_graph") {
            dynamo = true;
        } else if (record.key == "dynamo_start" || record.key == "dynamo_cpp_guards_str" ||
                   record.key == "compilation_metrics" ||
                   (record.key.starts_with("aot_") && record.key.ends_with("_graph"))) {
            dynamo = false;
        }
    }
    for (std::size_t i = 0; i < records.size(); ++i) {
        if (!keeps[i]) {
            continue;
        }
        kept += records[i].header;
        std::istringstream payload(records[i].payload);
        for (std::string line; std::getline(payload, line);) {
            const bool isGuard = records[i].key == "dynamo_cpp_guards_str";
            if (!isGuard || line.find("___check_global_state") != std::string::npos) {
                kept += line + '\n';
            }
        }
    }
    return kept;
}

} // namespace aotscope::test
