#include "cache/entry_text.h"

#include "aot/compiled_function_json.h"
#include "ir/json/graph_json.h"
#include "ir/verifier.h"
#include "load/md5.h"
#include "passes/partition.h"

#include "base/numbers.h"

#include <nlohmann/json.hpp>

namespace aotscope::cache {

namespace {

using Json = nlohmann::ordered_json;

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

Json guardsJson(const std::vector<aot::RetraceGuard>& guards) {
    Json list = Json::array();
    for (const aot::RetraceGuard& guard : guards) {
        Json one{{"expression", guard.expression}};
        if (guard.source) {
            one["file"] = guard.source->file;
            one["line"] = guard.source->line;
        }
        list.push_back(std::move(one));
    }
    return list;
}

std::string kindOf(const aot::CompiledFunction& function) {
    if (function.path == aot::TracePath::Export) {
        return "export";
    }
    if (!function.joint) {
        return "inference";
    }
    return function.partition ? "forward and backward" : "joint";
}

/// Reads the line of JSON. Every access says what it expects, and the first that does not find it is the
/// error.
class HeaderReader {
public:
    HeaderReader(const Json& json, std::string_view texts) : m_json(json), m_texts(texts) {}

    base::Result<EntryHeader> read() {
        EntryHeader header;
        header.key = keyFrom(components());
        header.forwardKey = string(m_json, "forward_key");
        header.backwardKey = string(m_json, "backward_key");
        header.kind = string(m_json, "kind");
        header.nanoseconds = integer(m_json, "nanoseconds");
        header.nodes = static_cast<std::size_t>(integer(m_json, "nodes"));
        if (const std::string version = string(m_json, "libtorch"); !version.empty()) {
            header.libTorch = aot::torchVersionFromText(version);
        }
        for (const Json& note : list("notes")) {
            note.is_string() ? header.notes.push_back(note.get<std::string>()) : complain("notes");
        }
        readGuards(header.guards);
        header.graph = text(static_cast<std::uint64_t>(integer(m_json, "graph_bytes")));
        header.function = m_texts;
        if (m_wrong.empty() && header.key.digest != string(m_json, "key")) {
            complain("key");
        }
        if (!m_wrong.empty()) {
            return error("cache.form",
                         "The entry cannot be read: the field " + m_wrong + " has another form.");
        }
        return header;
    }

private:
    void complain(const char* field) {
        if (m_wrong.empty()) {
            m_wrong = field;
        }
    }
    std::string string(const Json& json, const char* name) {
        if (json.is_object() && json.contains(name) && json[name].is_string()) {
            return json[name].get<std::string>();
        }
        complain(name);
        return {};
    }
    std::int64_t integer(const Json& json, const char* name) {
        if (json.is_object() && json.contains(name) && json[name].is_number_integer() &&
            json[name].get<std::int64_t>() >= 0) {
            return json[name].get<std::int64_t>();
        }
        complain(name);
        return 0;
    }
    const Json& list(const char* name) {
        static const Json none = Json::array();
        if (m_json.contains(name) && m_json[name].is_array()) {
            return m_json[name];
        }
        complain(name);
        return none;
    }
    std::vector<KeyComponent> components() {
        std::vector<KeyComponent> components;
        for (const Json& component : list("components")) {
            const auto bytes = static_cast<std::uint64_t>(integer(component, "bytes"));
            components.push_back({string(component, "name"), std::string(text(bytes))});
        }
        return components;
    }
    /// Takes so many bytes off what follows the header.
    std::string_view text(std::uint64_t bytes) {
        if (bytes > m_texts.size()) {
            complain("bytes");
            return {};
        }
        const std::string_view taken = m_texts.substr(0, bytes);
        m_texts.remove_prefix(bytes);
        return taken;
    }
    void readGuards(std::vector<aot::RetraceGuard>& guards) {
        for (const Json& guard : list("guards")) {
            aot::RetraceGuard read;
            read.expression = string(guard, "expression");
            if (guard.is_object() && guard.contains("file")) {
                read.source = ir::SourceLocation{};
                read.source->file = string(guard, "file");
                read.source->line = static_cast<int>(integer(guard, "line"));
            }
            guards.push_back(std::move(read));
        }
    }

    const Json& m_json;
    std::string_view m_texts;
    std::string m_wrong;
};

base::Result<EntryHeader> headerOfBody(std::string_view body) {
    const auto line = takeLine(body, body.size());
    const Json json = Json::parse(line.value_or(std::string_view()), nullptr, false);
    if (!json.is_object()) {
        return error("cache.form", "The entry cannot be read: its header is not a JSON object.");
    }
    return HeaderReader(json, body).read();
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
    if (auto sound = checkGraph(function.graph, "traced"); !sound) {
        return sound;
    }
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
        if (auto sound = checkGraph(graph, name); !sound) {
            return sound;
        }
    }
    return {};
}

} // namespace

CacheEntry makeEntry(CacheKey key, const aot::RetraceResult& result) {
    CacheEntry entry{std::move(key), result, {}, {}};
    entry.result.program = nullptr;
    entry.result.stages.clear();
    entry.result.numbers.reset();
    if (const ir::GraphPtr forward = result.forward()) {
        entry.forwardKey = graphKey(forward);
    }
    if (const ir::GraphPtr backward = result.backward()) {
        entry.backwardKey = graphKey(backward);
    }
    return entry;
}

std::string entryToText(const CacheEntry& entry) {
    const aot::RetraceResult& result = entry.result;
    Json header{{"key", entry.key.digest},
                {"kind", kindOf(result)},
                {"nodes", result.graph ? result.graph->size() : 0},
                {"forward_key", entry.forwardKey},
                {"backward_key", entry.backwardKey},
                {"nanoseconds", result.nanoseconds},
                {"libtorch", result.libTorch ? aot::torchVersionText(*result.libTorch) : std::string()},
                {"notes", result.notes},
                {"guards", guardsJson(result.guards)},
                {"components", Json::array()}};
    std::string texts;
    for (const KeyComponent& component : entry.key.components) {
        header["components"].push_back({{"name", component.name}, {"bytes", component.text.size()}});
        texts += component.text;
    }
    const std::size_t componentBytes = texts.size();
    header["graph_bytes"] = 0;
    aot::CompiledFunction function = result;
    if (!function.partition && function.graph) {
        texts += ir::graphToJson(*function.graph);
        header["graph_bytes"] = texts.size() - componentBytes;
        function.graph = nullptr;
    }
    const std::string body = header.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n" + texts +
                             aot::compiledFunctionToJson(function);
    return std::string(firstWords) + std::to_string(formatVersion) + "\n" + load::md5Of(body) + " " +
           std::to_string(body.size()) + "\n" + body;
}

base::Result<EntryHeader> readEntryHeader(std::string_view text) {
    auto body = checkedBody(text);
    return body ? headerOfBody(*body) : base::Result<EntryHeader>(std::move(body).error());
}

base::Result<CacheEntry> readEntryBody(std::string_view body) {
    auto header = headerOfBody(body);
    if (!header) {
        return std::move(header).error();
    }
    auto function = aot::compiledFunctionFromJson(header->function);
    if (!function) {
        return std::move(function).error();
    }
    if (!header->graph.empty()) {
        auto graph = ir::graphFromJson(header->graph);
        if (!graph) {
            return std::move(graph).error();
        }
        function->graph = std::move(graph).value();
    }
    if (auto sound = checkGraphs(*function); !sound) {
        return std::move(sound).error();
    }
    CacheEntry entry;
    static_cast<aot::CompiledFunction&>(entry.result) = std::move(function).value();
    entry.result.nanoseconds = header->nanoseconds;
    entry.result.libTorch = header->libTorch;
    entry.result.notes = std::move(header->notes);
    entry.key = std::move(header->key);
    entry.forwardKey = std::move(header->forwardKey);
    entry.backwardKey = std::move(header->backwardKey);
    return entry;
}

base::Result<CacheEntry> readEntry(std::string_view text) {
    auto body = checkedBody(text);
    return body ? readEntryBody(*body) : base::Result<CacheEntry>(std::move(body).error());
}

} // namespace aotscope::cache
