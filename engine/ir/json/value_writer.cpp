#include "ir/json/value_writer.h"

#include "base/overloaded.h"

#include <algorithm>

namespace aotscope::ir::detail {

void writePair(JsonWriter& out, std::string_view key, std::string_view value) {
    out.key(key);
    out.string(value);
}

void writePair(JsonWriter& out, std::string_view key, const std::vector<std::string>& strings) {
    out.openList(key);
    for (const std::string& string : strings) {
        out.string(string);
    }
    out.closeList();
}

void Hints::write(JsonWriter& out, const SymExpr& expression) {
    const auto [entry, added] = m_values.try_emplace(std::string(expression.text()));
    if (added) {
        if (const base::Result<SymbolValue> value = expression.evaluate(m_bindings)) {
            entry->second = *value;
        }
    }
    if (!entry->second) {
        out.null();
        return;
    }
    std::visit(base::Overloaded{[&](std::int64_t value) { out.integer(value); },
                                [&](double value) { out.number(value); },
                                [&](bool value) { out.boolean(value); }},
               *entry->second);
}

void ValueWriter::write(const ValueMeta& value) {
    if (const auto* tensor = std::get_if<TensorMeta>(&value)) {
        write(*tensor);
    } else if (const auto* symbolic = std::get_if<SymbolicMeta>(&value)) {
        write(*symbolic);
    } else if (const auto* tuple = std::get_if<std::shared_ptr<const TupleMeta>>(&value)) {
        m_out.openObject();
        writePair(m_out, "kind", "tuple");
        m_out.openList("elements");
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

void ValueWriter::symbol(const SymExpr& expression) {
    m_out.openObject();
    writePair(m_out, "symint", expression.text());
    m_out.key("hint");
    m_hints.write(m_out, expression);
    m_out.closeObject();
}

void ValueWriter::write(const TensorMeta& tensor) {
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
        writePair(m_out, "requires_grad", *tensor.requiresGrad);
    }
    if (tensor.isParameter) {
        writePair(m_out, "parameter", true);
    }
    if (tensor.subclass) {
        writeSubclass(*tensor.subclass);
    }
    m_out.closeObject();
}

void ValueWriter::writeSubclass(const SubclassMeta& subclass) {
    writePair(m_out, "subclass", subclass.className);
    m_out.openObject("inner");
    for (const auto& [name, inner] : subclass.inner) {
        m_out.key(name);
        write(inner);
    }
    m_out.closeObject();
}

void ValueWriter::write(const SymbolicMeta& symbolic) {
    m_out.openObject();
    writePair(m_out, "kind", base::wordOf(symbolic.kind));
    writePair(m_out, "expr", symbolic.expression.text());
    if (symbolic.kind != SymbolicMeta::Kind::Bool) {
        m_out.key("hint");
        m_hints.write(m_out, symbolic.expression);
    }
    m_out.closeObject();
}

void ValueWriter::dimensions(const SymInts& sizes) {
    m_out.openList();
    for (const SymInt& size : sizes) {
        dimension(size);
    }
    m_out.closeList();
}

void ValueWriter::dimension(const SymInt& size) {
    if (size.isSymbolic()) {
        symbol(size.expression());
    } else {
        m_out.integer(size.integer());
    }
}

NodeReferences::NodeReferences(const Graph& graph) : m_graph(graph), m_positions(graph.idBound(), -1) {
    m_first.reserve(graph.size());
    std::int64_t position = 0;
    for (const NodeId id : graph.order()) {
        m_positions[id.index()] = position++;
        m_first.try_emplace(graph.node(id).name, id);
    }
}

void NodeReferences::write(JsonWriter& out, NodeId id) const {
    out.openObject();
    out.key("node");
    if (id.index() >= m_positions.size() || m_positions[id.index()] < 0) {
        out.null();
    } else {
        out.string(m_graph.node(id).name);
        if (!isFirst(id)) {
            writePair(out, "index", m_positions[id.index()]);
        }
    }
    out.closeObject();
}

void ArgumentWriter::write(const Argument& argument) {
    std::visit([this](const auto& value) { put(value); }, argument.value);
}

void ArgumentWriter::list(const Arguments& items) {
    m_out.openList();
    for (const Argument& item : items) {
        write(item);
    }
    m_out.closeList();
}

void ArgumentWriter::put(const std::complex<double>& value) {
    tagged("complex", [&] {
        m_out.openList();
        m_out.number(value.real());
        m_out.number(value.imag());
        m_out.closeList();
    });
}

void ArgumentWriter::put(const OpaqueArgument& value) {
    m_out.openObject();
    writePair(m_out, "opaque", value.text);
    m_out.openList("nodes");
    for (const NodeId id : value.nodes) {
        m_references.write(m_out, id);
    }
    m_out.closeList();
    m_out.closeObject();
}

void ArgumentWriter::put(const std::shared_ptr<const SliceArgument>& value) {
    tagged("slice", [&] { list({value->start, value->stop, value->step}); });
}

// An object where all keys are strings, else a list of pairs.
void ArgumentWriter::put(const std::shared_ptr<const DictArgument>& value) {
    const bool named = std::ranges::all_of(
        value->items, [](const auto& item) { return item.first.template as<std::string>() != nullptr; });
    if (!named) {
        tagged("dict", [&] {
            m_out.openList();
            for (const auto& [key, item] : value->items) {
                list({key, item});
            }
            m_out.closeList();
        });
        return;
    }
    tagged("dict", [&] {
        m_out.openObject();
        for (const auto& [key, item] : value->items) {
            m_out.key(*key.as<std::string>());
            write(item);
        }
        m_out.closeObject();
    });
}

} // namespace aotscope::ir::detail
