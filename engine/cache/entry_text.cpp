#include "cache/entry_text.h"

#include "aot/compiled_function_json.h"
#include "aot/function_fields_json.h"
#include "ir/json/graph_json.h"
#include "ir/verifier.h"
#include "load/md5.h"
#include "passes/partition.h"

#include "base/describe.h"
#include "base/numbers.h"

namespace aotscope::cache {

namespace {

using Json = aot::detail::Json;
using aot::detail::JsonContext;

constexpr std::string_view firstWords = "aotscope compiled function ";

base::Error error(const char* code, std::string message) {
    return {.code = code, .message = std::move(message)};
}

/// Takes the first line off; nothing if there is no end of line in the first `most` bytes.
std::optional<std::string_view> takeLine(std::string_view& text, std::size_t most) {
    const std::size_t end = text.substr(0, most).find('\n');
    if (end == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    return line;
}

/// Checks the first two lines and returns what follows them.
base::Result<std::string_view> checkedBody(std::string_view text) {
    constexpr std::size_t longestLine = 80;
    if (!text.starts_with(firstWords)) {
        return text.size() < firstWords.size() && firstWords.starts_with(text)
                   ? error("cache.truncated", "The entry is cut off in its first line.")
                   : error("cache.foreign", "The file is not an entry of this cache.");
    }
    text.remove_prefix(firstWords.size());
    const auto version = takeLine(text, longestLine);
    const auto number = version ? base::wholeNumber<int>(*version) : std::nullopt;
    if (!number) {
        return error("cache.damaged", "The entry's version cannot be read.");
    }
    if (*number != formatVersion) {
        return error("cache.version",
                     "The entry has version " + std::to_string(*number) +
                         (*number < formatVersion ? ", which is older than " : ", which is newer than ") +
                         std::to_string(formatVersion) + ".");
    }
    const auto line = takeLine(text, longestLine);
    constexpr std::size_t digits = 32;
    const auto length = line && line->size() > digits + 1 && (*line)[digits] == ' '
                            ? base::wholeNumber<std::uint64_t>(line->substr(digits + 1))
                            : std::nullopt;
    if (!length) {
        return error("cache.damaged", "The entry's digest and length cannot be read.");
    }
    if (text.size() != *length) {
        return error(text.size() < *length ? "cache.truncated" : "cache.oversized",
                     "The entry has " + std::to_string(text.size()) +
                         " bytes after its first lines, but says " + std::to_string(*length) + ".");
    }
    if (load::md5Of(text) != line->substr(0, digits)) {
        return error("cache.damaged", "The entry was changed: it does not match its digest.");
    }
    return text;
}

struct StoredComponent {
    std::string name;
    std::uint64_t bytes = 0;
};
AOTSCOPE_MEMBERS(StoredComponent, name, bytes)

/// The line of JSON.
struct StoredHeader {
    std::string key;
    std::string kind;
    std::uint64_t nodes = 0;
    std::string forwardKey;
    std::string backwardKey;
    std::uint64_t nanoseconds = 0;
    std::optional<aot::TorchVersion> libTorch;
    std::set<std::string> changedOperators;
    std::vector<std::string> notes;
    std::vector<aot::RetraceGuard> guards;
    std::vector<StoredComponent> components;
    std::uint64_t graphBytes = 0;
};
AOTSCOPE_MEMBERS(StoredHeader, key, kind, nodes, forwardKey, backwardKey, nanoseconds, libTorch,
                 changedOperators, notes, guards, components, graphBytes)

std::string kindOf(const aot::CompiledFunction& function) {
    if (function.path == aot::TracePath::Export) {
        return "export";
    }
    if (!function.joint) {
        return "inference";
    }
    return function.partition ? "forward and backward" : "joint";
}

base::Error otherForm(const std::string& why) {
    return error("cache.form", "The entry cannot be read: " + why + ".");
}

/// Takes so many bytes off a text; nothing if it has not as many.
std::optional<std::string_view> takeBytes(std::string_view& text, std::uint64_t bytes) {
    if (bytes > text.size()) {
        return std::nullopt;
    }
    const std::string_view taken = text.substr(0, bytes);
    text.remove_prefix(bytes);
    return taken;
}

base::Result<EntryHeader> headerOfBody(std::string_view body) {
    const auto line = takeLine(body, body.size());
    StoredHeader stored;
    JsonContext context;
    fromJson(Json::parse(line.value_or(std::string_view()), nullptr, false), stored, context);
    if (!context.wrong.empty()) {
        return otherForm(context.wrong);
    }
    std::vector<KeyComponent> components;
    for (StoredComponent& component : stored.components) {
        const auto text = takeBytes(body, component.bytes);
        if (!text) {
            return otherForm("a component is cut off");
        }
        components.push_back({std::move(component.name), std::string(*text)});
    }
    const auto graph = takeBytes(body, stored.graphBytes);
    CacheKey key = keyFrom(std::move(components));
    if (!graph || key.digest != stored.key) {
        return otherForm(graph ? "its key is that of other components" : "its graph is cut off");
    }
    return EntryHeader{.key = std::move(key),
                       .forwardKey = std::move(stored.forwardKey),
                       .backwardKey = std::move(stored.backwardKey),
                       .nanoseconds = static_cast<std::int64_t>(stored.nanoseconds),
                       .libTorch = stored.libTorch,
                       .changedOperators = std::move(stored.changedOperators),
                       .notes = std::move(stored.notes),
                       .guards = std::move(stored.guards),
                       .kind = std::move(stored.kind),
                       .nodes = stored.nodes,
                       .graph = *graph,
                       .function = body};
}

base::Result<void> checkGraph(const ir::GraphPtr& graph, const char* name) {
    if (!graph) {
        return {};
    }
    const std::vector<ir::VerifierProblem> problems = ir::verifyGraph(*graph);
    if (problems.empty()) {
        return {};
    }
    return error("cache.broken_graph",
                 std::string("The entry's ") + name + " graph is broken: " + problems.front().message);
}

base::Result<void> checkGraphs(const aot::CompiledFunction& function) {
    if (!function.graph) {
        return error("cache.form", "The entry cannot be read: it has no graph.");
    }
    AOTSCOPE_CHECK(checkGraph(function.graph, "traced"));
    if (!function.partition) {
        return {};
    }
    const passes::Partition& partition = *function.partition;
    std::vector<std::pair<ir::GraphPtr, const char*>> graphs = {
        {partition.forward, "forward"},
        {partition.backward, "backward"},
        {partition.forwardBeforeHooks, "forward before hooks"},
        {partition.backwardBeforeHooks, "backward before hooks"}};
    for (const passes::InlinedHook& hook : partition.hooks) {
        graphs.emplace_back(hook.pack, "pack hook's");
        graphs.emplace_back(hook.unpack, "unpack hook's");
    }
    for (const auto& [graph, name] : graphs) {
        AOTSCOPE_CHECK(checkGraph(graph, name));
    }
    return {};
}

} // namespace

CacheEntry makeEntry(CacheKey key, const aot::RetraceResult& result) {
    CacheEntry entry{std::move(key), result, {}, {}};
    entry.result.function.program = nullptr;
    entry.result.stages.clear();
    entry.result.numbers.reset();
    if (const ir::GraphPtr forward = result.function.forward()) {
        entry.forwardKey = graphKey(forward);
    }
    if (const ir::GraphPtr backward = result.function.backward()) {
        entry.backwardKey = graphKey(backward);
    }
    return entry;
}

std::string entryToText(const CacheEntry& entry) {
    const aot::RetraceResult& result = entry.result;
    StoredHeader header{.key = entry.key.digest,
                        .kind = kindOf(result.function),
                        .nodes = result.function.graph ? result.function.graph->size() : 0,
                        .forwardKey = entry.forwardKey,
                        .backwardKey = entry.backwardKey,
                        .nanoseconds = static_cast<std::uint64_t>(result.nanoseconds),
                        .libTorch = result.libTorch,
                        .changedOperators = result.changedOperators,
                        .notes = result.notes,
                        .guards = result.function.guards,
                        .components = {},
                        .graphBytes = 0};
    std::string texts;
    for (const KeyComponent& component : entry.key.components) {
        header.components.push_back({component.name, component.text.size()});
        texts += component.text;
    }
    const std::size_t componentBytes = texts.size();
    aot::CompiledFunction function = result.function;
    if (!function.partition && function.graph) {
        texts += ir::graphToJson(*function.graph);
        header.graphBytes = texts.size() - componentBytes;
        function.graph = nullptr;
    }
    JsonContext context;
    const std::string body = toJson(header, context).dump(-1, ' ', false, Json::error_handler_t::replace) +
                             "\n" + texts + aot::compiledFunctionToJson(function);
    return std::string(firstWords) + std::to_string(formatVersion) + "\n" + load::md5Of(body) + " " +
           std::to_string(body.size()) + "\n" + body;
}

base::Result<EntryHeader> readEntryHeader(std::string_view text) {
    AOTSCOPE_TRY(body, checkedBody(text));
    return headerOfBody(body);
}

base::Result<CacheEntry> readEntryBody(std::string_view body) {
    AOTSCOPE_TRY(header, headerOfBody(body));
    AOTSCOPE_TRY(function, aot::compiledFunctionFromJson(header.function));
    if (!header.graph.empty()) {
        AOTSCOPE_TRY(graph, ir::graphFromJson(header.graph));
        function.graph = std::move(graph);
    }
    AOTSCOPE_CHECK(checkGraphs(function));
    return CacheEntry{.key = std::move(header.key),
                      .result = {.function = std::move(function),
                                 .nanoseconds = header.nanoseconds,
                                 .libTorch = header.libTorch,
                                 .changedOperators = std::move(header.changedOperators),
                                 .notes = std::move(header.notes)},
                      .forwardKey = std::move(header.forwardKey),
                      .backwardKey = std::move(header.backwardKey)};
}

base::Result<CacheEntry> readEntry(std::string_view text) {
    AOTSCOPE_TRY(body, checkedBody(text));
    return readEntryBody(body);
}

} // namespace aotscope::cache
