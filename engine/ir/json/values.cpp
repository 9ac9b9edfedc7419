#include "ir/json/values.h"

#include "base/mapped.h"
#include "ir/json/document.h"

#include <limits>

namespace aotscope::ir::detail {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

/// "inf", "-inf", "nan", "-nan".
std::optional<double> specialFloat(std::string_view text) {
    const bool negative = !text.empty() && text.front() == '-';
    text = withoutPrefix(text, "-");
    const double sign = negative ? -1.0 : 1.0;
    if (text == "inf" || text == "infinity" || text == "Infinity") {
        return sign * std::numeric_limits<double>::infinity();
    }
    if (text == "nan" || text == "NaN") {
        return negative ? -std::numeric_limits<double>::quiet_NaN()
                        : std::numeric_limits<double>::quiet_NaN();
    }
    return std::nullopt;
}

} // namespace

void JsonValueReader::complainShowing(std::string_view what, std::string shown) {
    if (shown.size() > 80) {
        shown.resize(80);
        shown += "...";
    }
    m_complaint = std::string(what) + ": " + shown;
}

std::string JsonValueReader::string(element value, std::string_view what) {
    const auto text = tryAs<std::string_view>(value);
    if (!text) {
        complain(std::string(what) + " is not text", value);
    }
    return std::string(text.value_or(""));
}

/// A JSON number, or {"float": "inf"}.
double JsonValueReader::number(element value) {
    if (const auto number = tryAs<double>(value)) {
        return *number;
    }
    if (const auto special = tryAs<object>(value)) {
        if (const auto number = specialFloat(tryField<std::string_view>(*special, "float").value_or(""))) {
            return *number;
        }
    }
    complain("this is not a number", value);
    return 0;
}

Argument JsonValueReader::argument(element value) {
    switch (value.type()) {
    case simdjson::dom::element_type::NULL_VALUE:
        return NoneArgument{};
    case simdjson::dom::element_type::BOOL:
        return bool(value);
    case simdjson::dom::element_type::INT64:
        return std::int64_t(value);
    case simdjson::dom::element_type::UINT64:
        return OpaqueArgument{std::to_string(std::uint64_t(value)), {}};
    case simdjson::dom::element_type::DOUBLE:
        return double(value);
    case simdjson::dom::element_type::STRING:
        return std::string(std::string_view(value));
    case simdjson::dom::element_type::ARRAY:
        return ListArgument{arguments(value)};
    case simdjson::dom::element_type::OBJECT:
        return objectArgument(object(value));
    }
    return {};
}

Arguments JsonValueReader::arguments(element value) {
    const auto list = tryAs<simdjson::dom::array>(value);
    if (!list) {
        complain("this is not a list of arguments", value);
        return {};
    }
    return base::mapped(*list, [this](element item) { return argument(item); });
}

/// An object says its kind by its first key. One of a kind unknown here is kept as text.
Argument JsonValueReader::objectArgument(object value) {
    const auto first = value.begin();
    if (first != value.end()) {
        if (std::optional<Argument> known = taggedArgument(first.key(), first.value(), value)) {
            return std::move(*known);
        }
    }
    return OpaqueArgument{simdjson::minify(value), {}};
}

std::optional<Argument> JsonValueReader::taggedArgument(std::string_view tag, element inner, object value) {
    if (tag == "node") {
        return reference(value);
    }
    if (tag == "tuple") {
        return Argument(TupleArgument{arguments(inner)});
    }
    if (tag == "slice") {
        return slice(inner);
    }
    if (base::fromWord<SymbolicMeta::Kind>(tag)) {
        return Argument(SymbolArgument{symbol(value, tag)});
    }
    if (tag == "dict") {
        return dict(inner);
    }
    if (tag == "opaque") {
        return opaque(value);
    }
    if (tag == "ellipsis") {
        return Argument(EllipsisArgument{});
    }
    if (tag == "float") {
        return specialFloat(tryAs<std::string_view>(inner).value_or(""));
    }
    if (tag == "complex") {
        return complex(inner);
    }
    const auto text = tryAs<std::string_view>(inner);
    return text ? namedArgument(tag, *text) : std::nullopt;
}

std::optional<Argument> JsonValueReader::namedArgument(std::string_view tag, std::string_view text) {
    if (tag == "dtype") {
        const std::optional<DType> dtype = dtypeFromName(withoutPrefix(text, "torch."));
        return dtype ? Argument(*dtype) : Argument(OpaqueArgument{"torch." + std::string(text), {}});
    }
    if (tag == "device") {
        return Argument(DeviceArgument{Device::parse(text).value_or(Device{std::string(text), -1})});
    }
    if (tag == "layout") {
        return Argument(LayoutArgument{std::string(withoutPrefix(text, "torch."))});
    }
    if (tag == "memory_format") {
        return Argument(MemoryFormatArgument{std::string(withoutPrefix(text, "torch."))});
    }
    if (tag == "op") {
        return Argument(OperatorArgument{std::string(text)});
    }
    return std::nullopt;
}

Argument JsonValueReader::reference(object value) {
    const element name = value.begin().value();
    const auto node = m_findNode(string(name, "the name of a node"), tryField<std::int64_t>(value, "index"));
    if (!node) {
        complain("no node of this graph has the name", name);
    }
    return node.value_or(NodeId());
}

Argument JsonValueReader::opaque(object value) {
    OpaqueArgument result{string(value.begin().value(), "an expression"), {}};
    if (const auto nodes = tryField<element>(value, "nodes")) {
        for (const Argument& mentioned : arguments(*nodes)) {
            if (const NodeId* node = mentioned.as<NodeId>()) {
                result.nodes.push_back(*node);
            }
        }
    }
    return result;
}

Argument JsonValueReader::complex(element inner) {
    const auto parts = tryAs<simdjson::dom::array>(inner);
    if (!parts || parts->size() != 2) {
        complain("a complex number is two numbers", inner);
        return {};
    }
    return std::complex<double>(number(parts->at(0).value_unsafe()), number(parts->at(1).value_unsafe()));
}

Argument JsonValueReader::slice(element inner) {
    Arguments parts = arguments(inner);
    if (parts.size() != 3) {
        complain("a slice is start, stop and step", inner);
        return {};
    }
    return std::make_shared<const SliceArgument>(
        SliceArgument{std::move(parts[0]), std::move(parts[1]), std::move(parts[2])});
}

Argument JsonValueReader::dict(element inner) {
    auto result = std::make_shared<DictArgument>();
    if (const auto named = tryAs<object>(inner)) {
        for (const auto entry : *named) {
            result->items.emplace_back(std::string(entry.key), argument(entry.value));
        }
    } else if (const auto pairs = tryAs<simdjson::dom::array>(inner); !pairs) {
        complain("this is not a dictionary", inner);
    } else {
        for (const element pair : *pairs) {
            Arguments parts = arguments(pair);
            if (parts.size() != 2) {
                complain("an entry of a dictionary is a key and a value", pair);
                break;
            }
            result->items.emplace_back(std::move(parts[0]), std::move(parts[1]));
        }
    }
    return std::shared_ptr<const DictArgument>(std::move(result));
}

} // namespace aotscope::ir::detail
