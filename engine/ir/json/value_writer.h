#pragma once

#include "ir/argument.h"
#include "ir/graph.h"
#include "ir/json/json_writer.h"
#include "ir/symbolic/expression.h"
#include "ir/value.h"

#include <complex>
#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// The parts of a graph's JSON that stand for values: what json_values.h reads. Writers keep references to
/// their arguments, so use them within one call.
namespace aotscope::ir::detail {

/// `"key": "value"`, within an object.
void writePair(JsonWriter& out, std::string_view key, std::string_view value);
void writePair(JsonWriter& out, std::string_view key, const std::vector<std::string>& strings);
template<typename T, typename Less>
void writePair(JsonWriter& out, std::string_view key, const std::map<std::string, T, Less>& entries);
template<std::integral T>
void writePair(JsonWriter& out, std::string_view key, T value) {
    out.key(key);
    if constexpr (std::same_as<T, bool>) {
        out.boolean(value);
    } else {
        out.integer(value);
    }
}
template<typename T, typename Less>
void writePair(JsonWriter& out, std::string_view key, const std::map<std::string, T, Less>& entries) {
    out.openObject(key);
    for (const auto& [name, value] : entries) {
        writePair(out, name, value);
    }
    out.closeObject();
}

/// Example values of expressions. Few expressions occur thousands of times, so each is evaluated once.
class Hints {
public:
    explicit Hints(const SymbolBindings& bindings) : m_bindings(bindings) {}

    /// null where a symbol of it has no value.
    void write(JsonWriter& out, const SymExpr& expression);

private:
    const SymbolBindings& m_bindings;
    std::unordered_map<std::string, std::optional<SymbolValue>> m_values;
};

/// The metadata of values: `val` of the nodes, constants.
class ValueWriter {
public:
    ValueWriter(JsonWriter& out, Hints& hints) : m_out(out), m_hints(hints) {}

    void write(const ValueMeta& value);
    /// A symbolic size with its example.
    void symbol(const SymExpr& expression);

private:
    void write(const TensorMeta& tensor);
    void writeSubclass(const SubclassMeta& subclass);
    void write(const SymbolicMeta& symbolic);
    void dimensions(const SymInts& sizes);
    void dimension(const SymInt& size);

    JsonWriter& m_out;
    Hints& m_hints;
};

/// Names as references. A reader takes a name for the first node that bears it; in a broken graph, where a
/// name occurs twice, the other nodes are referred to by position.
class NodeReferences {
public:
    explicit NodeReferences(const Graph& graph);

    /// null for a node that is in no place of the graph.
    void write(JsonWriter& out, NodeId id) const;

private:
    [[nodiscard]] bool isFirst(NodeId id) const { return m_first.find(m_graph.node(id).name)->second == id; }

    const Graph& m_graph;
    std::vector<std::int64_t> m_positions;
    std::unordered_map<std::string_view, NodeId> m_first;
};

/// `args` and `kwargs` of nodes.
class ArgumentWriter {
public:
    ArgumentWriter(JsonWriter& out, ValueWriter& values, const NodeReferences& references)
        : m_out(out), m_values(values), m_references(references) {}

    void write(const Argument& argument);
    void list(const Arguments& items);

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
    void put(const TupleArgument& value) {
        tagged("tuple", [&] { list(value.items); });
    }
    void put(const EllipsisArgument& /*ellipsis*/) {
        tagged("ellipsis", [&] { m_out.boolean(true); });
    }
    void put(const std::complex<double>& value);
    void put(const OpaqueArgument& value);
    void put(const std::shared_ptr<const SliceArgument>& value);
    void put(const std::shared_ptr<const DictArgument>& value);
    void tagged(std::string_view kind, std::string_view text) {
        tagged(kind, [&] { m_out.string(text); });
    }
    /// An object that says its kind by its key.
    template<std::invocable Write>
    void tagged(std::string_view kind, const Write& write) {
        m_out.openObject();
        m_out.key(kind);
        write();
        m_out.closeObject();
    }

    JsonWriter& m_out;
    ValueWriter& m_values;
    const NodeReferences& m_references;
};

} // namespace aotscope::ir::detail
