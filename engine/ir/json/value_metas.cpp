#include "ir/json/values.h"

#include "base/mapped.h"
#include "ir/json/document.h"
#include "ir/json/graph_json.h"

/// The values of nodes: tensors, tuples, symbolic numbers.
namespace aotscope::ir {
namespace detail {

using simdjson::dom::element;
using simdjson::dom::object;

ValueMeta JsonValueReader::value(element from) {
    if (from.is_null()) {
        return {};
    }
    const auto fields = tryAs<object>(from);
    if (!fields) {
        complain("a value is described by an object", from);
        return {};
    }
    return tensorOrOther(*fields);
}

ValueMeta JsonValueReader::tensorOrOther(object fields) {
    const std::string_view kind = tryField<std::string_view>(fields, "kind").value_or("");
    if (kind == "tensor") {
        return tensor(fields);
    }
    if (kind == "tuple") {
        return tuple(fields);
    }
    if (const auto symbolic = base::fromWord<SymbolicMeta::Kind>(kind)) {
        return SymbolicMeta{*symbolic, symbol(fields, "expr")};
    }
    if (kind == "other") {
        for (const char* key : {"text", "repr", "type"}) {
            if (const auto text = tryField<std::string_view>(fields, key)) {
                return OtherMeta{std::string(*text)};
            }
        }
    }
    return OtherMeta{simdjson::minify(fields)};
}

TensorMeta JsonValueReader::tensor(object fields) {
    TensorMeta result;
    SubclassMeta subclass;
    bool hasShape = false;
    bool isSubclass = false;
    for (const auto entry : fields) {
        hasShape = hasShape || entry.key == "shape";
        isSubclass = isSubclass || entry.key == "subclass" || entry.key == "inner";
        tensorField(result, subclass, entry.key, entry.value);
    }
    if (!hasShape) {
        complain("a tensor has no shape", fields);
    }
    if (isSubclass) {
        result.subclass = std::make_shared<const SubclassMeta>(std::move(subclass));
    }
    return result;
}

void JsonValueReader::tensorField(TensorMeta& result, SubclassMeta& subclass, std::string_view key,
                                  element from) {
    if (key == "dtype") {
        const std::string name = string(from, "a dtype");
        result.dtype = dtypeFromName(withoutPrefix(name, "torch.")).value_or(DType::Unknown);
    } else if (key == "shape") {
        result.shape = dimensions(from);
    } else if (key == "stride" && !from.is_null()) {
        result.stride = dimensions(from);
    } else if (key == "storage_offset" && !from.is_null()) {
        result.storageOffset = dimension(from);
    } else if (key == "device" && !from.is_null()) {
        const std::string text = string(from, "a device");
        result.device = Device::parse(text).value_or(Device{text, -1});
    } else if (key == "requires_grad" && from.is_bool()) {
        result.requiresGrad = bool(from);
    } else if (key == "parameter" && from.is_bool()) {
        result.isParameter = bool(from);
    } else if (key == "layout" && !from.is_null()) {
        result.layout = withoutPrefix(string(from, "a layout"), "torch.");
    } else if (key == "subclass") {
        subclass.className = string(from, "the class of a tensor subclass");
    } else if (key == "inner") {
        const auto inner = tryAs<object>(from);
        if (!inner) {
            complain("inner tensors are given by name", from);
            return;
        }
        for (const auto entry : *inner) {
            const auto fields = tryAs<object>(entry.value);
            if (!fields) {
                complain("an inner tensor is described by an object", entry.value);
                return;
            }
            subclass.inner.emplace_back(std::string(entry.key), tensor(*fields));
        }
    }
}

ValueMeta JsonValueReader::tuple(object fields) {
    auto result = std::make_shared<TupleMeta>();
    const auto elements = tryField<simdjson::dom::array>(fields, "elements");
    if (!elements) {
        complain("a tuple has no list of elements", fields);
    } else {
        for (const element item : *elements) {
            result->elements.push_back(value(item));
        }
    }
    return std::shared_ptr<const TupleMeta>(std::move(result));
}

SymInts JsonValueReader::dimensions(element from) {
    const auto list = tryAs<simdjson::dom::array>(from);
    if (!list) {
        complain("sizes and strides are lists", from);
        return {};
    }
    return base::mapped(*list, [this](element size) { return dimension(size); });
}

SymInt JsonValueReader::dimension(element from) {
    if (const std::optional<std::int64_t> integer = tryAs<std::int64_t>(from)) {
        return *integer;
    }
    if (const auto fields = tryAs<object>(from)) {
        return SymInt(symbol(*fields, "symint"));
    }
    complain("a size is an integer or a symbolic expression", from);
    return 0;
}

/// The expression under `key`, and beside it an example value, which is remembered when the expression is one
/// symbol alone.
SymExpr JsonValueReader::symbol(object fields, std::string_view key) {
    const auto text = tryField<element>(fields, key);
    if (!text) {
        complain("a symbolic value has no expression", fields);
        return SymExpr("?");
    }
    SymExpr expression(string(*text, "a symbolic expression"));
    const auto hint = tryField<std::int64_t>(fields, "hint");
    const bool alone = hint && m_hints.find(expression.text()) == m_hints.end() &&
                       expression.symbols() == std::vector<std::string>{std::string(expression.text())};
    if (alone) {
        m_hints.emplace(expression.text(), *hint);
    }
    return expression;
}

} // namespace detail

base::Result<ValueMeta> valueFromJson(std::string_view json) {
    AOTSCOPE_TRY(document, detail::JsonDocument::parse(json));
    SymbolBindings hints;
    const auto noNodes = [](std::string_view, std::optional<std::int64_t>) {
        return std::optional<NodeId>();
    };
    detail::JsonValueReader reader(noNodes, hints);
    ValueMeta value = reader.value(document.root());
    if (reader.complaint()) {
        return base::Error{.code = "ir.json_value", .message = *reader.complaint()};
    }
    return value;
}

} // namespace aotscope::ir
