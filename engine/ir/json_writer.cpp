#include "ir/json.h"

#include "ir/json_text.h"

#include <algorithm>
#include <unordered_map>

namespace aotscope::ir {
namespace {

using detail::JsonText;

/// Example values of expressions. Few expressions occur thousands of times, so each is evaluated once.
class Hints {
public:
    explicit Hints(const SymbolBindings& bindings) : m_bindings(bindings) {}

    void write(JsonText& out, const SymExpr& expression) {
        const auto [entry, added] = m_values.try_emplace(std::string(expression.text()));
        if (added) {
            if (const base::Result<SymbolValue> value = expression.evaluate(m_bindings)) {
                entry->second = *value;
            }
        }
        if (!entry->second) {
            out.null();
        } else if (const auto* integer = std::get_if<std::int64_t>(&*entry->second)) {
            out.integer(*integer);
        } else if (const auto* number = std::get_if<double>(&*entry->second)) {
            out.number(*number);
        } else {
            out.boolean(std::get<bool>(*entry->second));
        }
    }

private:
    const SymbolBindings& m_bindings;
    std::unordered_map<std::string, std::optional<SymbolValue>> m_values;
};

void writeStrings(JsonText& out, const std::vector<std::string>& strings) {
    out.openList();
    for (const std::string& string : strings) {
        out.string(string);
    }
    out.closeList();
}

void writePair(JsonText& out, std::string_view key, std::string_view value) {
    out.key(key);
    out.string(value);
}

class ValueWriter {
public:
    ValueWriter(JsonText& out, Hints& hints) : m_out(out), m_hints(hints) {}

    void write(const ValueMeta& value) {
        if (const auto* tensor = std::get_if<TensorMeta>(&value)) {
            write(*tensor);
        } else if (const auto* symbolic = std::get_if<SymbolicMeta>(&value)) {
            write(*symbolic);
        } else if (const auto* tuple = std::get_if<std::shared_ptr<const TupleMeta>>(&value)) {
            m_out.openObject();
            writePair(m_out, "kind", "tuple");
            m_out.key("elements");
            m_out.openList();
            for (const ValueMeta& element : (*tuple)->elements) {
                write(element);
            }
            m_out.closeList();
            m_out.closeObject();
        } else if (const auto* other = std::get_if<OtherMeta>(&value)) {
            m_out.openObject();
            writePair(m_out, "kind", "other");
            writePair(m_out, "text", other->text);
            m_out.closeObject();
        } else {
            m_out.null();
        }
    }

    void symbol(const SymExpr& expression) {
        m_out.openObject();
        writePair(m_out, "symint", expression.text());
        m_out.key("hint");
        m_hints.write(m_out, expression);
        m_out.closeObject();
    }

private:
    void write(const TensorMeta& tensor) {
        m_out.openObject();
        writePair(m_out, "kind", "tensor");
        writePair(m_out, "dtype", dtypeName(tensor.dtype));
        m_out.key("shape");
        dimensions(tensor.shape);
        if (tensor.stride) {
            m_out.key("stride");
            dimensions(*tensor.stride);
        }
        if (tensor.storageOffset) {
            m_out.key("storage_offset");
            dimension(*tensor.storageOffset);
        }
        if (!tensor.layout.empty()) {
            writePair(m_out, "layout", tensor.layout);
        }
        if (tensor.device) {
            writePair(m_out, "device", tensor.device->text());
        }
        if (tensor.requiresGrad) {
            m_out.key("requires_grad");
            m_out.boolean(*tensor.requiresGrad);
        }
        if (tensor.isParameter) {
            m_out.key("parameter");
            m_out.boolean(true);
        }
        if (tensor.subclass) {
            writeSubclass(*tensor.subclass);
        }
        m_out.closeObject();
    }

    void writeSubclass(const SubclassMeta& subclass) {
        writePair(m_out, "subclass", subclass.className);
        m_out.key("inner");
        m_out.openObject();
        for (const auto& [name, inner] : subclass.inner) {
            m_out.key(name);
            write(inner);
        }
        m_out.closeObject();
    }

    void write(const SymbolicMeta& symbolic) {
        m_out.openObject();
        const bool boolean = symbolic.kind == SymbolicMeta::Kind::Bool;
        const bool integer = symbolic.kind == SymbolicMeta::Kind::Int;
        writePair(m_out, "kind", boolean ? "symbool" : integer ? "symint" : "symfloat");
        writePair(m_out, "expr", symbolic.expression.text());
        if (!boolean) {
            m_out.key("hint");
            m_hints.write(m_out, symbolic.expression);
        }
        m_out.closeObject();
    }

    void dimensions(const SymInts& sizes) {
        m_out.openList();
        for (const SymInt& size : sizes) {
            dimension(size);
        }
        m_out.closeList();
    }

    void dimension(const SymInt& size) {
        if (size.isSymbolic()) {
            symbol(size.expression());
        } else {
            m_out.integer(size.integer());
        }
    }

    JsonText& m_out;
    Hints& m_hints;
};

/// Names as references. A reader takes a name for the first node that bears it; in a broken graph, where a
/// name occurs twice, the others are told by their position.
class NodeReferences {
public:
    explicit NodeReferences(const Graph& graph) : m_graph(graph), m_positions(graph.idBound(), -1) {
        m_first.reserve(graph.size());
        std::int64_t position = 0;
        for (const NodeId id : graph.order()) {
            m_positions[id.index()] = position++;
            m_first.try_emplace(graph.node(id).name, id);
        }
    }

    void write(JsonText& out, NodeId id) const {
        out.openObject();
        out.key("node");
        if (id.index() >= m_positions.size() || m_positions[id.index()] < 0) {
            out.null();
        } else {
            out.string(m_graph.node(id).name);
            if (!isFirst(id)) {
                out.key("index");
                out.integer(m_positions[id.index()]);
            }
        }
        out.closeObject();
    }

private:
    [[nodiscard]] bool isFirst(NodeId id) const { return m_first.find(m_graph.node(id).name)->second == id; }

    const Graph& m_graph;
    std::vector<std::int64_t> m_positions;
    std::unordered_map<std::string_view, NodeId> m_first;
};

class ArgumentWriter {
public:
    ArgumentWriter(JsonText& out, ValueWriter& values, const NodeReferences& references)
        : m_out(out), m_values(values), m_references(references) {}

    void write(const Argument& argument) {
        std::visit([this](const auto& value) { put(value); }, argument.value);
    }

    void list(const Arguments& items) {
        m_out.openList();
        for (const Argument& item : items) {
            write(item);
        }
        m_out.closeList();
    }

private:
    void put(const NoneArgument& /*none*/) { m_out.null(); }
    void put(bool value) { m_out.boolean(value); }
    void put(std::int64_t value) { m_out.integer(value); }
    void put(double value) { m_out.number(value); }
    void put(const std::string& value) { m_out.string(value); }
    void put(NodeId value) { m_references.write(m_out, value); }
    void put(DType value) { tagged("dtype", dtypeName(value)); }
    void put(const DeviceArgument& value) { tagged("device", value.device.text()); }
    void put(const LayoutArgument& value) { tagged("layout", value.name); }
    void put(const MemoryFormatArgument& value) { tagged("memory_format", value.name); }
    void put(const OperatorArgument& value) { tagged("op", value.target); }
    void put(const SymbolArgument& value) { m_values.symbol(value.expression); }
    void put(const ListArgument& value) { list(value.items); }

    void put(const std::complex<double>& value) {
        m_out.openObject();
        m_out.key("complex");
        m_out.openList();
        m_out.number(value.real());
        m_out.number(value.imag());
        m_out.closeList();
        m_out.closeObject();
    }

    void put(const EllipsisArgument& /*ellipsis*/) {
        m_out.openObject();
        m_out.key("ellipsis");
        m_out.boolean(true);
        m_out.closeObject();
    }

    void put(const OpaqueArgument& value) {
        m_out.openObject();
        writePair(m_out, "opaque", value.text);
        m_out.key("nodes");
        m_out.openList();
        for (const NodeId id : value.nodes) {
            m_references.write(m_out, id);
        }
        m_out.closeList();
        m_out.closeObject();
    }

    void put(const TupleArgument& value) {
        m_out.openObject();
        m_out.key("tuple");
        list(value.items);
        m_out.closeObject();
    }

    void put(const std::shared_ptr<const SliceArgument>& value) {
        m_out.openObject();
        m_out.key("slice");
        m_out.openList();
        write(value->start);
        write(value->stop);
        write(value->step);
        m_out.closeList();
        m_out.closeObject();
    }

    /// An object where all keys are strings, else a list of pairs.
    void put(const std::shared_ptr<const DictArgument>& value) {
        const bool named = std::all_of(value->items.begin(), value->items.end(), [](const auto& item) {
            return item.first.template as<std::string>() != nullptr;
        });
        m_out.openObject();
        m_out.key("dict");
        named ? m_out.openObject() : m_out.openList();
        for (const auto& [key, item] : value->items) {
            if (named) {
                m_out.key(*key.as<std::string>());
                write(item);
            } else {
                list({key, item});
            }
        }
        named ? m_out.closeObject() : m_out.closeList();
        m_out.closeObject();
    }

    void tagged(std::string_view kind, std::string_view text) {
        m_out.openObject();
        writePair(m_out, kind, text);
        m_out.closeObject();
    }

    JsonText& m_out;
    ValueWriter& m_values;
    const NodeReferences& m_references;
};

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

    void write(JsonText& out) const {
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
        JsonText out;
        out.openObject();
        if (origin.source) {
            writePair(out, "file", origin.source->file);
            out.key("line");
            out.integer(origin.source->line);
            writePair(out, "function", origin.source->function);
            writePair(out, "code", origin.source->code);
        }
        if (origin.backwardOfForward) {
            out.key("backward_of_forward");
            out.boolean(true);
        }
        if (!origin.recompute.empty()) {
            writePair(out, "recompute", origin.recompute);
        }
        if (origin.acGraphId) {
            out.key("ac_graph_id");
            out.integer(*origin.acGraphId);
        }
        if (!origin.annotation.empty()) {
            writePair(out, "annotation", origin.annotation);
        }
        if (!origin.other.empty()) {
            writePair(out, "other", origin.other);
        }
        out.closeObject();
        return out.take();
    }

    std::vector<std::string> m_entries;
    std::unordered_map<std::string, std::int64_t> m_byText;
    std::unordered_map<const NodeOrigin*, std::int64_t> m_byAddress;
};

std::string_view tagText(PartitionerTag tag) {
    switch (tag) {
    case PartitionerTag::Forward:
        return "is_forward";
    case PartitionerTag::Backward:
        return "is_backward";
    case PartitionerTag::Both:
        return "is_both";
    case PartitionerTag::None:
        break;
    }
    return {};
}

class GraphWriter {
public:
    GraphWriter(JsonText& out, const Graph& graph)
        : m_out(out),
          m_graph(graph),
          m_hints(graph.symbolHints()),
          m_values(out, m_hints),
          m_references(graph),
          m_arguments(out, m_values, m_references) {}

    /// Ends early, with half a graph, when `progress` says stop.
    void write(base::Progress& progress) {
        m_out.openObject();
        m_out.key("num_nodes");
        m_out.integer(static_cast<std::int64_t>(m_graph.size()));
        m_out.lineBreak();
        m_out.key("nodes");
        m_out.openList();
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
        writeSubgraphs(progress);
        writeConstants();
        m_out.lineBreak();
        m_out.key("style");
        writeStyle();
        m_out.closeObject();
    }

private:
    void writeNode(const Node& node) {
        m_out.openObject();
        writePair(m_out, "name", node.name);
        writePair(m_out, "op", opcodeName(node.op));
        writePair(m_out, "target", node.target);
        m_out.key("args");
        m_arguments.list(node.args);
        m_out.key("kwargs");
        m_out.openObject();
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
            m_out.key("seq_nr");
            m_out.integer(*node.sequenceNumber);
        }
        // "must_be_in_forward" and its like are kept word for word in `extra`.
        if (node.partitionerTag != PartitionerTag::None && !hasExtra(node, "partitioner_tag")) {
            writePair(m_out, "partitioner_tag", tagText(node.partitionerTag));
        }
        if (node.origin) {
            writeOrigin(node);
        }
        if (!node.originalAten.empty()) {
            writePair(m_out, "original_aten", node.originalAten);
        }
        if (!node.descriptors.empty()) {
            m_out.key("desc");
            node.op == Opcode::Placeholder&& node.descriptors.size() == 1
                ? m_out.string(node.descriptors.front())
                : writeStrings(m_out, node.descriptors);
        }
        if (!node.inputSource.empty()) {
            writePair(m_out, "source", node.inputSource);
        }
        if (!node.modulePath.empty()) {
            writePair(m_out, "module_path", node.modulePath);
        }
        for (const auto& [key, json] : node.extra) {
            m_out.key(key);
            m_out.raw(json);
        }
    }

    void writeOrigin(const Node& node) {
        const NodeOrigin& origin = *node.origin;
        if (origin.acGraphId && !hasExtra(node, "ac_graph_id")) {
            m_out.key("ac_graph_id");
            m_out.integer(*origin.acGraphId);
        }
        if (!origin.recompute.empty() && !hasExtra(node, "recompute")) {
            writePair(m_out, "recompute", "CheckpointPolicy." + origin.recompute);
        }
        m_out.key("origin");
        m_out.integer(m_origins.index(node.origin));
    }

    static bool hasExtra(const Node& node, std::string_view key) {
        return std::any_of(node.extra.begin(), node.extra.end(),
                           [key](const auto& entry) { return entry.first == key; });
    }

    void writeSubgraphs(base::Progress& progress) {
        if (m_graph.subgraphs().empty()) {
            return;
        }
        m_out.lineBreak();
        m_out.key("subgraphs");
        m_out.openObject();
        for (const auto& [name, subgraph] : m_graph.subgraphs()) {
            m_out.lineBreak();
            m_out.key(name);
            GraphWriter(m_out, *subgraph).write(progress);
        }
        m_out.closeObject();
    }

    void writeConstants() {
        if (m_graph.constants().empty()) {
            return;
        }
        m_out.lineBreak();
        m_out.key("constants");
        m_out.openObject();
        for (const auto& [name, value] : m_graph.constants()) {
            m_out.lineBreak();
            m_out.key(name);
            m_values.write(value);
        }
        m_out.closeObject();
    }

    void writeStyle() {
        const TextStyle& style = m_graph.style();
        m_out.openObject();
        writePair(m_out, "class_name", style.className);
        m_out.key("expanded_definition");
        m_out.boolean(style.expandedDefinition);
        m_out.key("pytree");
        m_out.boolean(style.pytree);
        m_out.key("pytree_inputs");
        writeStrings(m_out, style.pytreeInputs);
        m_out.key("notes");
        m_out.openObject();
        for (const auto& [name, note] : style.notes) {
            writePair(m_out, name, note);
        }
        m_out.closeObject();
        m_out.key("symbol_hints");
        m_out.openObject();
        for (const auto& [symbol, hint] : m_graph.symbolHints()) {
            m_out.key(symbol);
            m_out.integer(hint);
        }
        m_out.closeObject();
        m_out.closeObject();
    }

    JsonText& m_out;
    const Graph& m_graph;
    Hints m_hints;
    ValueWriter m_values;
    NodeReferences m_references;
    ArgumentWriter m_arguments;
    OriginTable m_origins;
};

} // namespace

std::string graphToJson(const Graph& graph, base::Progress progress) {
    JsonText out;
    GraphWriter(out, graph).write(progress);
    return out.take() + '\n';
}

} // namespace aotscope::ir
