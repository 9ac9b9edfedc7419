#include "answer.h"
#include "commands.h"
#include "table.h"
#include "wrapper_report.h"

#include "aot/compiled_function_json.h"
#include "base/mapped.h"
#include "cache/function_cache.h"
#include "ir/text/printer.h"
#include "passes/partition.h"

#include <algorithm>
#include <ctime>

namespace aotscope::cli {

struct ListedAnswer {
    cache::StoredFile file;
    std::string kind = {};
    std::size_t nodes = 0;
    std::string forwardKey = {};
    std::string backwardKey = {};
    std::map<std::string, std::string> components = {};
    std::vector<aot::RetraceGuard> guards = {};
    std::int64_t nanoseconds = 0;
    /// Then only the file's facts are known.
    std::optional<base::Error> error = {};
};
AOTSCOPE_MEMBERS(ListedAnswer, file, kind, nodes, forwardKey, backwardKey, components, guards, nanoseconds,
                 error)

struct CacheAnswer {
    std::filesystem::path folder;
    std::uint64_t bytes = 0;
    std::uint64_t mostBytes = 0;
    std::vector<ListedAnswer> entries = {};
};
AOTSCOPE_MEMBERS(CacheAnswer, folder, bytes, mostBytes, entries)
AOTSCOPE_ANSWER(CacheAnswer, "aotscope.cache/2")

struct ShownEntry {
    cache::StoredFile file;
    std::map<std::string, std::string> components;
    std::string forwardKey;
    std::string backwardKey;
    std::int64_t nanoseconds = 0;
    std::vector<std::string> notes;
    Json compiledFunction;
};
AOTSCOPE_MEMBERS(ShownEntry, file, components, forwardKey, backwardKey, nanoseconds, notes, compiledFunction)

struct EntriesAnswer {
    std::vector<ShownEntry> entries = {};
};
AOTSCOPE_MEMBERS(EntriesAnswer, entries)
AOTSCOPE_ANSWER(EntriesAnswer, "aotscope.cache_entry/2")

struct ClearAnswer {
    std::filesystem::path folder;
    std::uint64_t removed = 0;
};
AOTSCOPE_MEMBERS(ClearAnswer, folder, removed)
AOTSCOPE_ANSWER(ClearAnswer, "aotscope.cache_clear/1")

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
    const auto found = std::ranges::find(key.components, name, &cache::KeyComponent::name);
    return found == key.components.end() ? std::string() : found->text;
}

/// A partition has many options: its kind is enough for a row.
std::string partitionOf(const cache::CacheKey& key) {
    const std::string text = componentOf(key, "partition");
    const Json options = Json::parse(text, nullptr, false);
    return options.is_object() ? options.value("partitioner", std::string()) : text;
}

/// The component's text; of a long one the number of bytes.
std::string shownText(const cache::KeyComponent& component) {
    constexpr std::size_t longest = 4000;
    return component.name != "program" && component.text.size() <= longest
               ? component.text
               : std::to_string(component.text.size()) + " bytes";
}

std::map<std::string, std::string> shownComponents(const cache::CacheKey& key) {
    std::map<std::string, std::string> shown;
    for (const cache::KeyComponent& component : key.components) {
        shown[component.name] = shownText(component);
    }
    return shown;
}

ListedAnswer listedAnswer(const cache::ListedEntry& entry) {
    if (!entry.header) {
        return {.file = entry.file, .error = entry.header.error()};
    }
    const cache::EntryHeader& header = *entry.header;
    return {entry.file,        header.kind,        header.nodes,
            header.forwardKey, header.backwardKey, shownComponents(header.key),
            header.guards,     header.nanoseconds};
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
        program.console.result(answerText(
            CacheAnswer{folder.folder, bytes, folder.mostBytes, base::mapped(entries, listedAnswer)}));
        return ExitYes;
    }
    // Entries of one program follow each other: its configurations.
    constexpr std::size_t digits = 12;
    Table table({"program", "key", "holds", numbers("nodes"), "decompositions", "partition", "torch",
                 numbers("guards"), numbers("size"), "used", "state"});
    for (const cache::ListedEntry& entry : entries) {
        Cells held(6);
        if (entry.header) {
            const cache::EntryHeader& header = *entry.header;
            held = {header.kind,
                    header.nodes,
                    componentOf(header.key, "decompositions"),
                    partitionOf(header.key),
                    componentOf(header.key, "torch"),
                    header.guards.size()};
        }
        table.add({entry.file.name.program.substr(0, digits), entry.file.name.key.substr(0, digits)}, held,
                  {sizeText(entry.file.bytes), timeText(entry.file.usedNanoseconds),
                   entry.header ? "" : entry.header.error().message});
    }
    program.console.result(textOf(table.empty() ? "" : table.shown(), entries.size(), " entries, ",
                                  sizeText(bytes), " of at most ", sizeText(folder.mostBytes), ", in ",
                                  folder.folder.string(), "\n"));
    return ExitYes;
}

std::string entryText(const cache::StoredFile& file, const cache::CacheEntry& entry) {
    const aot::RetraceResult& result = entry.result;
    std::string text = "key " + file.name.key + "\nstored " + sizeText(file.bytes) + ", last used " +
                       timeText(file.usedNanoseconds) + "; the compile took " +
                       durationText(result.nanoseconds) + "\n";
    for (const cache::KeyComponent& component : entry.key.components) {
        text += "  " + component.name + " " + shownText(component) + "\n";
    }
    text += "forward key " + (entry.forwardKey.empty() ? "none" : entry.forwardKey) + "\n";
    text += "backward key " + (entry.backwardKey.empty() ? "none" : entry.backwardKey) + "\n";
    for (const aot::RetraceGuard& guard : result.function.guards) {
        text += "  guard " + guard.expression.text() + "\n";
    }
    text += wrappersText(result.function.wrappers, {});
    if (result.function.partition) {
        return text + ir::printGraph(*result.function.partition->forward).text + "\n" +
               ir::printGraph(*result.function.partition->backward).text + "\n";
    }
    return text + ir::printGraph(*result.function.graph).text + "\n";
}

int showEntries(Program& program, const CacheCommandOptions& options) {
    const cache::FunctionCache functions = openCache(options);
    const std::vector<cache::FunctionCache::Shown> shown = functions.show(options.key);
    if (shown.empty()) {
        throw usageFailure("No entry's key begins with \"" + options.key + "\".",
                           {"aotscope-cli cache list shows the keys."});
    }
    EntriesAnswer answer;
    std::optional<base::Error> unreadable;
    for (const cache::FunctionCache::Shown& one : shown) {
        if (!one.entry) {
            unreadable = one.entry.error();
            continue;
        }
        if (options.json) {
            const cache::CacheEntry& entry = *one.entry;
            answer.entries.push_back({one.file, shownComponents(entry.key), entry.forwardKey,
                                      entry.backwardKey, entry.result.nanoseconds, entry.result.notes,
                                      Json::parse(aot::compiledFunctionToJson(entry.result.function))});
        } else {
            program.console.result(entryText(one.file, *one.entry));
        }
    }
    if (options.json) {
        program.console.result(answerText(answer));
    }
    failWith(unreadable, ExitUnreadable);
    return ExitYes;
}

int clearEntries(Program& program, const CacheCommandOptions& options) {
    cache::FunctionCache functions = openCache(options);
    const ClearAnswer answer{functions.folder().options().folder, orFail(ExitUnreadable, functions.clear())};
    program.console.result(options.json ? answerText(answer)
                                        : std::to_string(answer.removed) + " entries removed from " +
                                              answer.folder.string() + "\n");
    return ExitYes;
}

template<typename Answer>
void addOptions(const AddedCommand<CacheCommandOptions>& added) {
    const auto& [command, options] = added;
    command.addOption("--folder", &options->folder,
                      "The cache's folder; by default aotscope/compiled in $XDG_CACHE_HOME or ~/.cache");
    command.addFlag("--json", &options->json, jsonHelp<Answer>());
}

} // namespace

void addCacheCommand(Command app, Action& chosen) {
    const Command command = app.addCommand(
        "cache", "The cache of compiled functions that retrace --cache uses: list, show, clear");
    command.requireCommand();
    const auto list = addCommand(
        command, chosen, "list",
        "List the entries; another configuration of the same program is another entry", listEntries);
    addOptions<CacheAnswer>(list);
    const auto show = addCommand(command, chosen, "show", "Show what an entry holds", showEntries);
    show.command.addOption("KEY", &show.options->key, "The first digits of its key", {.required = true});
    addOptions<EntriesAnswer>(show);
    addOptions<ClearAnswer>(addCommand(command, chosen, "clear", "Remove all entries", clearEntries));
}

} // namespace aotscope::cli
