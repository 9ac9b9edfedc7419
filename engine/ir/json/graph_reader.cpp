#include "ir/graph_builder.h"
#include "ir/json/graph_json.h"

#include "ir/json/document.h"
#include "ir/json/printed_text.h"
#include "ir/json/values.h"
#include "ir/text/descriptor_text.h"
#include "ir/text/parser.h"

#include <array>
#include <concepts>
#include <unordered_map>
#include <utility>

namespace aotscope::ir {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;
using namespace detail;

base::Error valueError(std::string message, std::string node = {}) {
    base::Error error{"ir.json_value", std::move(message)};
    error.place.node = std::move(node);
    return error;
}

/// The listed members of an object. One that is missing or of another type stays as it is.
struct MemberReader {
    object from;

    template<typename T>
    void operator()(const char* name, T& member) const {
        if (const auto value = tryField<T>(from, name)) {
            member = *value;
        }
    }
    void operator()(const char* name, std::string& member) const {
        member = tryField<std::string_view>(from, name).value_or(member);
    }
    void operator()(const char* name, int& line) const {
        const std::int64_t number = tryField<std::int64_t>(from, name).value_or(0);
        line = std::in_range<int>(number) && number >= 0 ? static_cast<int>(number) : 0;
    }
    void operator()(const char* name, std::optional<std::int64_t>& member) const {
        member = tryField<std::int64_t>(from, name);
    }
    /// Its members stand beside the others.
    void operator()(const char* /*name*/, std::optional<SourceLocation>& source) const {
        if (tryField<std::string_view>(from, "file")) {
            base::visitMembers(source.emplace(), *this);
        }
    }
    void operator()(const char* name, std::vector<std::string>& strings) const {
        if (const auto list = tryField<array>(from, name)) {
            for (const element item : *list) {
                if (const auto text = tryAs<std::string_view>(item)) {
                    strings.emplace_back(*text);
                }
            }
        }
    }
    template<typename T, typename Less>
    void operator()(const char* name, std::map<std::string, T, Less>& entries) const {
        using Read = std::conditional_t<std::same_as<T, std::string>, std::string_view, T>;
        if (const auto found = tryField<object>(from, name)) {
            for (const auto entry : *found) {
                if (const auto value = tryAs<Read>(entry.value)) {
                    entries.emplace(entry.key, *value);
                }
            }
        }
    }
};

/// Reads one graph: first all names, because arguments refer to nodes by name, then the nodes.
class GraphReader {
public:
    /// `printed`: the graph as the text of the one around it has it; null: nothing known.
    explicit GraphReader(object from, GraphPtr printed = nullptr)
        : m_from(from),
          m_printed(std::move(printed)),
          m_values([this](std::string_view name,
                          std::optional<std::int64_t> position) { return find(name, position); },
                   m_graph.editSymbolHints()) {}

    base::Result<GraphPtr> read() {
        readPrinted();
        for (const auto step : {&GraphReader::readNames, &GraphReader::readOrigins, &GraphReader::readNodes,
                                &GraphReader::readSubgraphs, &GraphReader::readConstants}) {
            AOTSCOPE_CHECK((this->*step)());
        }
        if (const auto style = tryField<object>(m_from, "style")) {
            m_graph.editSymbolHints().clear();
            const MemberReader member{*style};
            base::visitMembers(m_graph.editStyle(), member);
            member("symbol_hints", m_graph.editSymbolHints());
        } else if (m_printed && !hasStyle()) {
            detail::takePrinted(m_graph, *m_printed);
        }
        return m_graph.finish();
    }

private:
    [[nodiscard]] std::optional<NodeId> find(std::string_view name,
                                             std::optional<std::int64_t> position) const {
        if (position && *position >= 0 && static_cast<std::uint64_t>(*position) < m_nodes.size()) {
            return NodeId(static_cast<std::uint32_t>(*position));
        }
        const auto found = m_byName.find(name);
        return found == m_byName.end() ? std::nullopt : std::optional(found->second);
    }

    [[nodiscard]] bool hasStyle() const { return tryField<element>(m_from, "style").has_value(); }

    void readPrinted() {
        const auto text = tryField<std::string_view>(m_from, "text");
        if (text && !hasStyle()) {
            const base::Result<GraphPtr> printed = parseGraphText(*text);
            m_printed = printed ? *printed : m_printed;
        }
    }

    base::Result<void> readNames() {
        const auto list = tryField<array>(m_from, "nodes");
        if (!list) {
            return valueError("A graph has a list of nodes under \"nodes\"; this JSON has none.");
        }
        for (const element item : *list) {
            const auto node = tryAs<object>(item);
            if (!node) {
                return valueError("Entry " + std::to_string(m_nodes.size()) +
                                  " of \"nodes\" is not an object.");
            }
            const auto name = tryField<std::string_view>(*node, "name");
            if (!name) {
                return valueError("Node " + std::to_string(m_nodes.size()) + " has no name.");
            }
            m_byName.try_emplace(*name, static_cast<std::uint32_t>(m_nodes.size()));
            m_nodes.push_back(*node);
        }
        return {};
    }

    base::Result<void> readOrigins() {
        const auto origins = tryField<element>(m_from, "origins");
        if (!origins) {
            return {};
        }
        const auto list = tryAs<array>(*origins);
        if (!list) {
            return valueError("\"origins\" is not a list.");
        }
        for (const element item : *list) {
            const auto fields = tryAs<object>(item);
            if (!fields) {
                return valueError("Entry " + std::to_string(m_origins.size()) +
                                  " of \"origins\" is not an object.");
            }
            auto origin = std::make_shared<NodeOrigin>();
            base::visitMembers(*origin, MemberReader{*fields});
            m_origins.push_back(std::move(origin));
        }
        return {};
    }

    base::Result<void> readNodes() {
        m_graph.reserve(m_nodes.size());
        for (const object from : m_nodes) {
            Node node;
            node.name = *tryField<std::string_view>(from, "name");
            const auto op = tryField<std::string_view>(from, "op");
            const std::optional<Opcode> opcode = base::fromWord<ir::Opcode>(op.value_or(""));
            if (!opcode) {
                return valueError("Node \"" + node.name + "\" has " +
                                      (op ? "the unknown op \"" + std::string(*op) + "\"." : "no op."),
                                  node.name);
            }
            node.op = *opcode;
            m_values.clearComplaint();
            for (const auto entry : from) {
                if (!readKnown(node, entry.key, entry.value)) {
                    node.extra.emplace_back(entry.key, simdjson::minify(entry.value));
                }
            }
            if (m_values.complaint()) {
                return valueError("Node \"" + node.name + "\": " + *m_values.complaint() + '.', node.name);
            }
            markDerived(node, from);
            takeOrigin(node, from);
            m_graph.append(std::move(node));
        }
        return {};
    }

    /// False: the key, or what stands under it, is unknown here and goes to Node::extra. Then the node is as
    /// before, since a key may come twice in a hostile file.
    bool readKnown(Node& node, std::string_view key, element value) {
        if (key == "name" || key == "op") {
            return true;
        }
        if (key == "args") {
            node.args = m_values.arguments(value);
            return true;
        }
        if (key == "kwargs") {
            return readKeywords(node, value);
        }
        if (key == "val") {
            if (value.is_null()) {
                // PyTorch knows the value to be None here, which is not the same as not knowing it.
                return false;
            }
            node.value = m_values.value(value);
            return true;
        }
        if (key == "seq_nr") {
            const auto number = tryAs<std::int64_t>(value);
            node.sequenceNumber = number ? number : node.sequenceNumber;
            return number.has_value();
        }
        if (key == "origin") {
            // An index into this file's own table: without an entry there it says nothing, and kept as an
            // unknown key it would stand beside the index that is written.
            return true;
        }
        if (key == "desc_derived") {
            return value.is_bool();
        }
        if (key == "ac_graph_id") {
            return value.is_int64();
        }
        return readTextKey(node, key, value);
    }

    bool readTextKey(Node& node, std::string_view key, element value) {
        if (key == "desc") {
            return readDescriptors(node, value);
        }
        const auto read = tryAs<std::string_view>(value);
        if (!read) {
            return false;
        }
        const std::string_view text = *read;
        if (key == "partitioner_tag") {
            const auto tag = text.empty() ? std::nullopt : base::fromWord<PartitionerTag>(text);
            node.partitionerTag = tag.value_or(node.partitionerTag);
            return tag.has_value();
        }
        if (key == "recompute") {
            return text.starts_with(policyPrefix) && text.size() > policyPrefix.size();
        }
        const std::array<std::pair<std::string_view, std::string*>, 4> texts{
            {{"target", &node.target},
             {"original_aten", &node.originalAten},
             {"source", &node.inputSource},
             {"module_path", &node.modulePath}}};
        for (const auto& [name, into] : texts) {
            if (key == name && (!text.empty() || key == "target")) {
                *into = text;
                return true;
            }
        }
        return false;
    }

    bool readKeywords(Node& node, element value) {
        const auto keywords = tryAs<object>(value);
        if (keywords) {
            for (const auto entry : *keywords) {
                node.kwargs.push_back({std::string(entry.key), m_values.argument(entry.value)});
            }
        }
        return keywords.has_value();
    }

    static void markDerived(Node& node, const object& from) {
        if (tryField<bool>(from, "desc_derived").value_or(false)) {
            for (Descriptor& descriptor : node.descriptors) {
                descriptor.derived = true;
            }
        }
    }

    /// A placeholder has one descriptor, other nodes (the output) one for each value in a list.
    static bool readDescriptors(Node& node, element value) {
        std::string_view text;
        if (node.op == Opcode::Placeholder && value.get(text) == simdjson::SUCCESS) {
            node.descriptors = {parsePlaceholderDescriptor(text)};
            return true;
        }
        array list;
        if (node.op == Opcode::Placeholder || value.get(list) != simdjson::SUCCESS || list.size() == 0) {
            return false;
        }
        std::vector<Descriptor> descriptors;
        for (const element item : list) {
            if (item.is_null()) {
                descriptors.push_back({NoneDescriptor{}});
            } else if (item.get(text) == simdjson::SUCCESS) {
                descriptors.push_back(parseReturnedDescriptor(text));
            } else {
                return false;
            }
        }
        node.descriptors = std::move(descriptors);
        return true;
    }

    /// From the table; golden graphs have none, there the node's own keys tell what they can. Neighbours
    /// share one object.
    void takeOrigin(Node& node, object from) {
        if (const auto index = tryField<std::int64_t>(from, "origin");
            index && *index >= 0 && static_cast<std::uint64_t>(*index) < m_origins.size()) {
            node.origin = m_origins[static_cast<std::size_t>(*index)];
            return;
        }
        NodeOrigin origin;
        origin.acGraphId = tryField<std::int64_t>(from, "ac_graph_id");
        const std::string_view recompute = tryField<std::string_view>(from, "recompute").value_or("");
        if (recompute.starts_with(policyPrefix)) {
            origin.recompute = recompute.substr(policyPrefix.size());
        }
        if (origin == NodeOrigin()) {
            return;
        }
        if (!m_lastOrigin || *m_lastOrigin != origin) {
            m_lastOrigin = std::make_shared<const NodeOrigin>(std::move(origin));
        }
        node.origin = m_lastOrigin;
    }

    base::Result<void> readSubgraphs() {
        const auto entries = tryField<object>(m_from, "subgraphs");
        if (!entries) {
            return {};
        }
        for (const auto entry : *entries) {
            const auto subgraph = tryAs<object>(entry.value);
            if (!subgraph) {
                return valueError("Subgraph \"" + std::string(entry.key) + "\" is not an object.");
            }
            base::Result<GraphPtr> graph =
                GraphReader(*subgraph, m_printed ? m_printed->trySubgraph(entry.key) : nullptr).read();
            if (!graph) {
                base::Error error = std::move(graph).error();
                error.notes.push_back("in subgraph \"" + std::string(entry.key) + '"');
                return error;
            }
            m_graph.addSubgraph(std::string(entry.key), std::move(*graph));
        }
        return {};
    }

    base::Result<void> readConstants() {
        const auto entries = tryField<object>(m_from, "constants");
        if (!entries) {
            return {};
        }
        for (const auto entry : *entries) {
            m_values.clearComplaint();
            ValueMeta value = m_values.value(entry.value);
            if (m_values.complaint()) {
                return valueError("Constant \"" + std::string(entry.key) + "\": " + *m_values.complaint() +
                                  '.');
            }
            m_graph.addConstant(std::string(entry.key), std::move(value));
        }
        return {};
    }

    static constexpr std::string_view policyPrefix = "CheckpointPolicy.";

    object m_from;
    /// The graph of "text", for what only that tells.
    GraphPtr m_printed;
    GraphBuilder m_graph;
    std::vector<object> m_nodes;
    std::unordered_map<std::string_view, NodeId> m_byName;
    std::vector<std::shared_ptr<const NodeOrigin>> m_origins;
    std::shared_ptr<const NodeOrigin> m_lastOrigin;
    detail::JsonValueReader m_values;
};

} // namespace

base::Result<GraphPtr> graphFromJson(std::string_view json) {
    AOTSCOPE_TRY(document, detail::JsonDocument::parse(json));
    const auto root = detail::tryAs<object>(document.root());
    if (!root) {
        return valueError("A graph is a JSON object; this is another kind of value.");
    }
    return GraphReader(*root).read();
}

} // namespace aotscope::ir
