#include "ir/json/graph_json.h"

#include "base/mapped.h"
#include "base/overloaded.h"
#include "ir/json/json_writer.h"
#include "ir/json/value_writer.h"
#include "ir/text/descriptor_text.h"

#include <algorithm>
#include <unordered_map>

namespace aotscope::ir {
namespace {

using detail::ArgumentWriter;
using detail::Hints;
using detail::JsonWriter;
using detail::NodeReferences;
using detail::ValueWriter;
using detail::writePair;

/// Distinct origins of a graph in order of first use.
class OriginTable {
public:
    [[nodiscard]] std::int64_t index(const std::shared_ptr<const NodeOrigin>& origin) {
        const auto [known, added] = m_byAddress.try_emplace(origin.get(), 0);
        if (added) {
            known->second = indexByValue(*origin);
        }
        return known->second;
    }

    void write(JsonWriter& out) const {
        out.openList();
        for (const std::string& entry : m_entries) {
            out.lineBreak();
            out.raw(entry);
        }
        out.closeList();
    }

    [[nodiscard]] bool empty() const { return m_entries.empty(); }

private:
    std::int64_t indexByValue(const NodeOrigin& origin) {
        std::string text = originText(origin);
        const auto [known, added] =
            m_byText.try_emplace(std::move(text), static_cast<std::int64_t>(m_entries.size()));
        if (added) {
            m_entries.push_back(known->first);
        }
        return known->second;
    }

    static std::string originText(const NodeOrigin& origin) {
        JsonWriter out;
        out.openObject();
        const auto pair = [&](const char* name, const auto& value) { writePair(out, name, value); };
        base::visitMembers(origin,
                           base::Overloaded{[&](const char* name, const auto& value) {
                                                if (value != std::remove_cvref_t<decltype(value)>()) {
                                                    pair(name, value);
                                                }
                                            },
                                            [&](const char* name, const std::optional<std::int64_t>& value) {
                                                if (value) {
                                                    pair(name, *value);
                                                }
                                            },
                                            [&](const char*, const std::optional<SourceLocation>& source) {
                                                if (source) {
                                                    base::visitMembers(*source, pair);
                                                }
                                            }});
        out.closeObject();
        return out.take();
    }

    std::vector<std::string> m_entries;
    std::unordered_map<std::string, std::int64_t> m_byText;
    std::unordered_map<const NodeOrigin*, std::int64_t> m_byAddress;
};

class GraphWriter {
public:
    GraphWriter(JsonWriter& out, const Graph& graph)
        : m_out(out),
          m_graph(graph),
          m_hints(graph.symbolHints()),
          m_values(out, m_hints),
          m_references(graph),
          m_arguments(out, m_values, m_references) {}

    /// Ends early, with half a graph, when `progress` says stop.
    void write(base::Progress& progress) {
        m_out.openObject();
        writePair(m_out, "num_nodes", static_cast<std::int64_t>(m_graph.size()));
        m_out.lineBreak();
        m_out.openList("nodes");
        std::uint64_t written = 0;
        for (const NodeId id : m_graph.order()) {
            progress.report("writing nodes", written++, m_graph.size());
            if (progress.stopRequested()) {
                return;
            }
            m_out.lineBreak();
            writeNode(m_graph.node(id));
        }
        m_out.closeList();
        if (!m_origins.empty()) {
            m_out.lineBreak();
            m_out.key("origins");
            m_origins.write(m_out);
        }
        writeEntries("subgraphs", m_graph.subgraphs(),
                     [&](const GraphPtr& subgraph) { GraphWriter(m_out, *subgraph).write(progress); });
        writeEntries("constants", m_graph.constants(),
                     [&](const ValueMeta& value) { m_values.write(value); });
        m_out.lineBreak();
        m_out.openObject("style");
        base::visitMembers(m_graph.style(),
                           [&](const char* name, const auto& member) { writePair(m_out, name, member); });
        writePair(m_out, "symbol_hints", m_graph.symbolHints());
        m_out.closeObject();
        m_out.closeObject();
    }

private:
    void writeNode(const Node& node) {
        m_out.openObject();
        writePair(m_out, "name", node.name);
        writePair(m_out, "op", base::wordOf(node.op));
        writePair(m_out, "target", node.target);
        m_out.key("args");
        m_arguments.list(node.args);
        m_out.openObject("kwargs");
        for (const KeywordArgument& keyword : node.kwargs) {
            m_out.key(keyword.name);
            m_arguments.write(keyword.value);
        }
        m_out.closeObject();
        if (!std::holds_alternative<std::monostate>(node.value)) {
            m_out.key("val");
            m_values.write(node.value);
        }
        writeMetadata(node);
        m_out.closeObject();
    }

    void writeMetadata(const Node& node) {
        if (node.sequenceNumber) {
            writePair(m_out, "seq_nr", *node.sequenceNumber);
        }
        if (node.partitionerTag != PartitionerTag::None) {
            writePair(m_out, "partitioner_tag", base::wordOf(node.partitionerTag));
        }
        if (node.origin) {
            writeOrigin(node);
        }
        writeText("original_aten", node.originalAten);
        if (!node.descriptors.empty()) {
            const auto texts = base::mapped(
                node.descriptors, [](const Descriptor& descriptor) { return descriptorText(descriptor); });
            node.op == Opcode::Placeholder&& texts.size() == 1 ? writePair(m_out, "desc", texts.front())
                                                               : writePair(m_out, "desc", texts);
            if (std::ranges::any_of(node.descriptors, &Descriptor::derived)) {
                writePair(m_out, "desc_derived", true);
            }
        }
        writeText("source", node.inputSource);
        writeText("module_path", node.modulePath);
        for (const auto& [key, json] : node.extra) {
            m_out.key(key);
            m_out.raw(json);
        }
    }

    void writeText(std::string_view key, const std::string& text) {
        if (!text.empty()) {
            writePair(m_out, key, text);
        }
    }

    void writeOrigin(const Node& node) {
        const NodeOrigin& origin = *node.origin;
        if (origin.acGraphId && node.tryExtra("ac_graph_id") == nullptr) {
            writePair(m_out, "ac_graph_id", *origin.acGraphId);
        }
        if (!origin.recompute.empty() && node.tryExtra("recompute") == nullptr) {
            writePair(m_out, "recompute", "CheckpointPolicy." + origin.recompute);
        }
        writePair(m_out, "origin", m_origins.index(node.origin));
    }

    /// An object with an entry on each line, if there are any.
    template<typename Value, typename Write>
    void writeEntries(std::string_view name, const std::vector<std::pair<std::string, Value>>& entries,
                      const Write& write) {
        if (entries.empty()) {
            return;
        }
        m_out.lineBreak();
        m_out.openObject(name);
        for (const auto& [key, value] : entries) {
            m_out.lineBreak();
            m_out.key(key);
            write(value);
        }
        m_out.closeObject();
    }

    JsonWriter& m_out;
    const Graph& m_graph;
    Hints m_hints;
    ValueWriter m_values;
    NodeReferences m_references;
    ArgumentWriter m_arguments;
    OriginTable m_origins;
};

} // namespace

std::string valueToJson(const ValueMeta& value) {
    const SymbolBindings bindings;
    Hints hints(bindings);
    JsonWriter out;
    ValueWriter(out, hints).write(value);
    return out.take();
}

std::string graphToJson(const Graph& graph, base::Progress progress) {
    JsonWriter out;
    GraphWriter(out, graph).write(progress);
    return out.take() + '\n';
}

} // namespace aotscope::ir
