#pragma once

#include "ir/argument.h"

#include <simdjson.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

/// Arguments and values of a graph's JSON, for json_reader.cpp.
namespace aotscope::ir::detail {

/// Reads arguments and values; the first thing that is wrong stays in `complaint`, and what is returned then
/// is of no use.
class JsonValueReader {
public:
    /// `findNode` gives the node a reference names: by name, and by position where the name occurs twice.
    using FindNode =
        std::function<std::optional<NodeId>(std::string_view name, std::optional<std::int64_t> position)>;

    JsonValueReader(FindNode findNode, SymbolBindings& hints)
        : m_findNode(std::move(findNode)), m_hints(hints) {}

    [[nodiscard]] Argument argument(simdjson::dom::element element);
    [[nodiscard]] Arguments arguments(simdjson::dom::element element);
    [[nodiscard]] ValueMeta value(simdjson::dom::element element);

    [[nodiscard]] const std::optional<std::string>& complaint() const { return m_complaint; }
    void clearComplaint() { m_complaint.reset(); }

private:
    template<typename Json>
    void complain(std::string_view what, Json value) {
        if (!m_complaint) {
            complainShowing(what, simdjson::minify(value));
        }
    }
    void complainShowing(std::string_view what, std::string shown);
    [[nodiscard]] std::string string(simdjson::dom::element element, std::string_view what);
    [[nodiscard]] double number(simdjson::dom::element element);

    [[nodiscard]] Argument objectArgument(simdjson::dom::object object);
    [[nodiscard]] std::optional<Argument> taggedArgument(std::string_view tag, simdjson::dom::element inner,
                                                         simdjson::dom::object object);
    [[nodiscard]] std::optional<Argument> namedArgument(std::string_view tag, std::string_view text);
    [[nodiscard]] Argument reference(simdjson::dom::object object);
    [[nodiscard]] Argument opaque(simdjson::dom::object object);
    [[nodiscard]] Argument complex(simdjson::dom::element inner);
    [[nodiscard]] Argument slice(simdjson::dom::element inner);
    [[nodiscard]] Argument dict(simdjson::dom::element inner);

    [[nodiscard]] ValueMeta tensorOrOther(simdjson::dom::object object);
    [[nodiscard]] TensorMeta tensor(simdjson::dom::object object);
    void tensorField(TensorMeta& tensor, SubclassMeta& subclass, std::string_view key,
                     simdjson::dom::element field);
    [[nodiscard]] ValueMeta tuple(simdjson::dom::object object);
    [[nodiscard]] SymInts dimensions(simdjson::dom::element element);
    [[nodiscard]] SymInt dimension(simdjson::dom::element element);
    [[nodiscard]] SymExpr symbol(simdjson::dom::object object, std::string_view key);

    FindNode m_findNode;
    SymbolBindings& m_hints;
    std::optional<std::string> m_complaint;
};

} // namespace aotscope::ir::detail
