#include "commands.h"
#include "json_text.h"
#include "table.h"
#include "wrapper_report.h"

#include "aot/compiled_function_json.h"
#include "cache/function_cache.h"
#include "ir/text/printer.h"
#include "passes/partition.h"

#include <ctime>
#include <memory>

namespace aotscope::cli {

namespace {

struct CacheCommandOptions {
    std::filesystem::path folder;
    std::string key;
    bool json = false;
};

cache::FunctionCache openCache(const CacheCommandOptions& options) {
    const std::filesystem::path folder =
        options.folder.empty() ? cache::defaultCacheFolder() : options.folder;
    if (folder.empty()) {
        throw usageFailure("There is no cache folder: neither XDG_CACHE_HOME nor HOME is set.",
                           {"Give one with --folder."});
    }
    return cache::FunctionCache({.disk = {.folder = folder}});
}

/// "2026-11-24 14:05:31" in local time.
std::string timeText(std::int64_t nanoseconds) {
    const std::time_t seconds = nanoseconds / 1'000'000'000;
    std::tm local = {};
    std::array<char, 32> text = {};
    if (::localtime_r(&seconds, &local) == nullptr ||
        std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &local) == 0) {
        return {};
    }
    return text.data();
}

std::string componentOf(const cache::CacheKey& key, std::string_view name) {
    for (const cache::KeyComponent& component : key.components) {
        if (component.name == name) {
            return component.text;
        }
    }
    return {};
}

/// A partition has many options: its kind is enough for a row.
std::string partitionOf(const cache::CacheKey& key) {
    const std::string text = componentOf(key, "partition");
    const Json options = Json::parse(text, nullptr, false);
    return options.is_object() ? options.value("partitioner", std::string()) : text;
}

/// The components that are no long texts; of the others the number of bytes.
Json componentsJson(const cache::CacheKey& key) {
    constexpr std::size_t longest = 4000;
    Json json = Json::object();
    for (const cache::KeyComponent& component : key.components) {
        json[component.name] = component.name != "program" && component.text.size() <= longest
                                   ? Json(component.text)
                                   : Json(std::to_string(component.text.size()) + " bytes");
    }
    return json;
}

Json guardExpressions(const std::vector<aot::RetraceGuard>& guards) {
    Json list = Json::array();
    for (const aot::RetraceGuard& guard : guards) {
        list.push_back(guard.expression);
    }
    return list;
}

Json orNullText(const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
}

Json fileJson(const cache::StoredFile& file) {
    Json json{{"key", file.name.key}, {"program", file.name.program}, {"variant", file.name.variant}};
    json["bytes"] = file.bytes;
    json["used"] = timeText(file.usedNanoseconds);
    return json;
}

Json entryJson(const cache::ListedEntry& entry) {
    Json json = fileJson(entry.file);
    if (!entry.header) {
        json["error"] = errorJson(entry.header.error());
        return json;
    }
    const cache::EntryHeader& header = *entry.header;
    json["kind"] = header.kind;
    json["nodes"] = header.nodes;
    json["forward_key"] = orNullText(header.forwardKey);
    json["backward_key"] = orNullText(header.backwardKey);
    json["components"] = componentsJson(header.key);
    json["guards"] = guardExpressions(header.guards);
    json["nanoseconds"] = header.nanoseconds;
    json["error"] = nullptr;
    return json;
}

int listEntries(Program& program, const CacheCommandOptions& options) {
    const cache::FunctionCache functions = openCache(options);
    const std::vector<cache::ListedEntry> entries = functions.list();
    std::uint64_t bytes = 0;
    for (const cache::ListedEntry& entry : entries) {
        bytes += entry.file.bytes;
    }
    const cache::FolderOptions& folder = functions.folder().options();
    if (options.json) {
        Json json{{"schema", "aotscope.cache/1"}, {"folder", folder.folder.string()}, {"bytes", bytes}};
        json["most_bytes"] = folder.mostBytes;
        json["entries"] = Json::array();
        for (const cache::ListedEntry& entry : entries) {
            json["entries"].push_back(entryJson(entry));
        }
        program.console.result(jsonText(json));
        return ExitYes;
    }
    // Entries of one program follow each other: its configurations.
    constexpr std::size_t digits = 12;
    using enum Table::Align;
    Table table({{"program"},
                 {"key"},
                 {"holds"},
                 {"nodes", Right},
                 {"decompositions"},
                 {"partition"},
                 {"torch"},
                 {"guards", Right},
                 {"size", Right},
                 {"used"},
                 {"state"}});
    for (const cache::ListedEntry& entry : entries) {
        std::vector<std::string> cells = {entry.file.name.program.substr(0, digits),
                                          entry.file.name.key.substr(0, digits)};
        if (entry.header) {
            const cache::EntryHeader& header = *entry.header;
            cells.insert(cells.end(),
                         {header.kind, std::to_string(header.nodes),
                          componentOf(header.key, "decompositions"), partitionOf(header.key),
                          componentOf(header.key, "torch"), std::to_string(header.guards.size())});
        } else {
            cells.resize(cells.size() + 6);
        }
        cells.insert(cells.end(), {bytesText(static_cast<std::int64_t>(entry.file.bytes)),
                                   timeText(entry.file.usedNanoseconds),
                                   entry.header ? "" : entry.header.error().message});
        table.add(std::move(cells));
    }
    program.console.result(
        (table.empty() ? std::string() : table.text(resultWidth())) + std::to_string(entries.size()) +
        " entries, " + bytesText(static_cast<std::int64_t>(bytes)) + " of at most " +
        bytesText(static_cast<std::int64_t>(folder.mostBytes)) + ", in " + folder.folder.string() + "\n");
    return ExitYes;
}

std::string entryText(const cache::StoredFile& file, const cache::CacheEntry& entry) {
    const aot::RetraceResult& result = entry.result;
    std::string text = "key " + file.name.key + "\n" + "stored " +
                       bytesText(static_cast<std::int64_t>(file.bytes)) + ", last used " +
                       timeText(file.usedNanoseconds) + "; the compile took " +
                       durationText(result.nanoseconds) + "\n";
    const Json components = componentsJson(entry.key);
    for (const auto& [name, value] : components.items()) {
        text += "  " + name + " " + value.get<std::string>() + "\n";
    }
    text += "forward key " + (entry.forwardKey.empty() ? "none" : entry.forwardKey) + "\n";
    text += "backward key " + (entry.backwardKey.empty() ? "none" : entry.backwardKey) + "\n";
    for (const aot::RetraceGuard& guard : result.guards) {
        text += "  guard " + guard.expression + "\n";
    }
    text += wrappersText(result.wrappers, {});
    if (result.partition) {
        return text + ir::printGraph(*result.partition->forward).text + "\n" +
               ir::printGraph(*result.partition->backward).text + "\n";
    }
    return text + ir::printGraph(*result.graph).text + "\n";
}

int showEntries(Program& program, const CacheCommandOptions& options) {
    const cache::FunctionCache functions = openCache(options);
    const std::vector<cache::FunctionCache::Shown> shown = functions.show(options.key);
    if (shown.empty()) {
        throw usageFailure("No entry's key begins with \"" + options.key + "\".",
                           {"aotscope-cli cache list shows the keys."});
    }
    Json json{{"schema", "aotscope.cache_entry/1"}, {"entries", Json::array()}};
    std::optional<base::Error> unreadable;
    for (const cache::FunctionCache::Shown& one : shown) {
        if (!one.entry) {
            unreadable = one.entry.error();
            continue;
        }
        if (!options.json) {
            program.console.result(entryText(one.file, *one.entry));
            continue;
        }
        Json entry = fileJson(one.file);
        entry["components"] = componentsJson(one.entry->key);
        entry["forward_key"] = orNullText(one.entry->forwardKey);
        entry["backward_key"] = orNullText(one.entry->backwardKey);
        entry["nanoseconds"] = one.entry->result.nanoseconds;
        entry["notes"] = one.entry->result.notes;
        entry["compiled_function"] = Json::parse(aot::compiledFunctionToJson(one.entry->result));
        json["entries"].push_back(std::move(entry));
    }
    if (options.json) {
        program.console.result(jsonText(json));
    }
    if (unreadable) {
        throw Failure(ExitUnreadable, *std::move(unreadable));
    }
    return ExitYes;
}

int clearEntries(Program& program, const CacheCommandOptions& options) {
    cache::FunctionCache functions = openCache(options);
    auto removed = orFail(ExitUnreadable, functions.clear());
    const std::string folder = functions.folder().options().folder.string();
    program.console.result(
        options.json
            ? jsonText({{"schema", "aotscope.cache_clear/1"}, {"folder", folder}, {"removed", removed}})
            : std::to_string(removed) + " entries removed from " + folder + "\n");
    return ExitYes;
}

void addOptions(Command command, const std::shared_ptr<CacheCommandOptions>& options, const char* schema) {
    command.addOption("--folder", &options->folder,
                      "The cache's folder; by default aotscope/compiled in $XDG_CACHE_HOME or ~/.cache");
    command.addFlag("--json", &options->json, std::string("JSON for programs (schema ") + schema + ")");
}

} // namespace

void addCacheCommand(Command app, Action& chosen) {
    const Command command = app.addCommand(
        "cache", "The cache of compiled functions that retrace --cache uses: list, show, clear");
    command.requireCommand();
    auto options = std::make_shared<CacheCommandOptions>();
    const Command list = command.addCommand("list", "List the entries; another configuration of the same "
                                                    "program is another entry");
    addOptions(list, options, "aotscope.cache/1");
    onCall(list, chosen, options, listEntries);
    const Command show = command.addCommand("show", "Show what an entry holds");
    show.addOption("KEY", &options->key, "The first digits of its key").required();
    addOptions(show, options, "aotscope.cache_entry/1");
    onCall(show, chosen, options, showEntries);
    const Command clear = command.addCommand("clear", "Remove all entries");
    addOptions(clear, options, "aotscope.cache_clear/1");
    onCall(clear, chosen, options, clearEntries);
}

} // namespace aotscope::cli
