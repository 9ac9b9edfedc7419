#include "files/graph_document.h"

#include "base/bounded_json.h"
#include "base/file_place.h"
#include "base/text_search.h"

#include "ir/json/graph_json.h"
#include "ir/text/parser.h"
#include "ir/text/repro_script.h"

#include "load/header_line.h"
#include "load/whole_file.h"

#include "timeline/chrome_trace_read.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace aotscope::session {

namespace {

// Keeps the order of keywords.
using OrderedJson = nlohmann::ordered_json;

/// Graph files are read whole; the bound counts unpacked bytes.
constexpr std::uint64_t mostDocumentBytes = std::uint64_t(1) << 30U;
constexpr std::size_t mostGraphs = 1'000;
constexpr int deepestGraph = 12;
constexpr std::size_t bytesLookedAt = 64U << 10U;

/// Whether a line contains a record header, "V1121 00:13:53.025000 22725 torch/…:1640] {", at any position.
bool holdsRecordHeader(std::string_view line) {
    constexpr std::size_t longestPrefix = 64;
    constexpr std::size_t timeBytes = 14;
    for (std::size_t at = 0; at + timeBytes < line.size() && at < longestPrefix; ++at) {
        if (load::startsWithTime(line.substr(at), "VDIWE") && line[at + timeBytes] == '.') {
            return true;
        }
    }
    return false;
}

bool looksLikeTraceLog(std::string_view text) {
    while (!text.empty()) {
        if (holdsRecordHeader(base::takePart(text, '\n'))) {
            return true;
        }
    }
    return false;
}

bool isGraph(const OrderedJson& value) {
    const auto nodes = value.is_object() ? value.find("nodes") : value.end();
    return nodes != value.end() && nodes->is_array() && !nodes->empty() && nodes->front().is_object() &&
           nodes->front().contains("op") && nodes->front().contains("name");
}

void collectGraphs(const OrderedJson& value, const std::string& path, int depth,
                   std::vector<std::pair<std::string, const OrderedJson*>>& graphs) {
    if (depth > deepestGraph || graphs.size() >= mostGraphs) {
        return;
    }
    if (value.is_object() && isGraph(value)) {
        graphs.emplace_back(path.empty() ? "graph" : path, &value);
        return;
    }
    if (value.is_structured()) {
        for (const auto& [key, item] : value.items()) {
            if (item.is_structured()) {
                collectGraphs(item, path.empty() ? key : path + "/" + key, depth + 1, graphs);
            }
        }
    }
}

DocumentGraph documentGraph(std::string name, std::string text, base::Result<ir::GraphPtr> parsed) {
    if (parsed) {
        return {std::move(name), std::move(parsed).value(), std::move(text), {}};
    }
    return {std::move(name), nullptr, std::move(text), std::move(parsed).error()};
}

DocumentGraph jsonGraph(std::string name, const std::string& json) {
    auto parsed = ir::graphFromJson(json);
    std::string text = parsed ? std::string() : json;
    return documentGraph(std::move(name), std::move(text), std::move(parsed));
}

/// A JSON error without its library code, "[json.exception.parse_error.101] ", and shortened: it may quote
/// thousands of lines.
std::string readableWords(std::string_view words) {
    const std::size_t end = words.find("] ");
    if (words.starts_with("[json.exception") && end != std::string_view::npos) {
        words.remove_prefix(end + 2);
    }
    constexpr std::size_t longest = 300;
    return words.size() > longest ? std::string(words.substr(0, longest)) + " …" : std::string(words);
}

base::Result<std::vector<DocumentGraph>> jsonGraphs(const std::filesystem::path& path,
                                                    const std::string& text, base::Progress progress) {
    OrderedJson document;
    try {
        if (!base::parseBounded<300>(text, document)) {
            return base::Error{.code = "ir.json_syntax",
                               .message = "The JSON is nested more than 300 levels deep; no graph is.",
                               .place = base::filePlace(path)};
        }
    } catch (const OrderedJson::exception& error) {
        // Numbers out of range throw another exception type than bad syntax.
        return base::Error{.code = "ir.json_syntax",
                           .message = "The file is not valid JSON.",
                           .place = base::filePlace(path),
                           .notes = {readableWords(error.what())}};
    }
    std::vector<DocumentGraph> graphs;
    if (isGraph(document)) {
        graphs.push_back(jsonGraph("graph", text));
        return graphs;
    }
    std::vector<std::pair<std::string, const OrderedJson*>> found;
    collectGraphs(document, "", 0, found);
    for (const auto& [name, value] : found) {
        AOTSCOPE_CHECK(progress.checkStop());
        progress.report("Reading graphs", graphs.size(), found.size(), name);
        graphs.push_back(jsonGraph(name, value->dump()));
    }
    // In golden files the name's path says whether a graph is a program or PyTorch's answer, so it is kept.
    if (graphs.size() == 1 && !graphs.front().name.starts_with("units/")) {
        graphs.front().name = "graph";
    }
    return graphs;
}

} // namespace

FileKind fileKind(const std::filesystem::path& path) {
    const std::string head = load::readStart(path, bytesLookedAt);
    if (looksLikeTraceLog(head)) {
        return FileKind::TraceLog;
    }
    if (timeline::isChromeTrace(head)) {
        return FileKind::Timeline;
    }
    const std::size_t first = head.find_first_not_of(" \t\r\n");
    if (first != std::string::npos && head[first] == '{') {
        return FileKind::GraphJson;
    }
    return ir::looksLikeGraphText(head) || ir::looksLikeReproScript(head) ? FileKind::GraphText
                                                                          : FileKind::TraceLog;
}

base::Result<std::vector<DocumentGraph>> readGraphDocument(const std::filesystem::path& path, FileKind kind,
                                                           base::Progress progress) {
    progress.report("Reading", 0, 0, path.filename().string());
    AOTSCOPE_TRY(text, load::readWhole(path, mostDocumentBytes, progress));
    if (kind == FileKind::GraphText) {
        std::vector<DocumentGraph> graphs;
        auto parsed = ir::parseGraphOrScript(text, progress);
        graphs.push_back(documentGraph("graph", std::move(text), std::move(parsed)));
        if (graphs.front().error && base::isCanceled(*graphs.front().error)) {
            return base::canceledError();
        }
        return graphs;
    }
    auto graphs = jsonGraphs(path, text, progress);
    if (graphs && graphs->empty()) {
        return base::Error{.code = "session.no_graph",
                           .message = "The file holds no graph.",
                           .place = base::filePlace(path),
                           .hint = "A graph in JSON is an object with the list \"nodes\"; see "
                                   "`aotscope-cli graph --format json`."};
    }
    return graphs;
}

std::string_view unitOf(std::string_view name) {
    constexpr std::string_view start = "units/";
    const std::size_t end = name.starts_with(start) ? name.find('/', start.size()) : std::string_view::npos;
    return end == std::string_view::npos ? std::string_view() : name.substr(0, end);
}

const GraphSnapshot* tryGraphOfFile(const LogSnapshot& log, std::string_view name) {
    const auto found = std::ranges::find_if(
        log.graphs(), [&](const auto& graph) { return graph->reference.artifact == name; });
    return found == log.graphs().end() ? nullptr : found->get();
}

} // namespace aotscope::session
