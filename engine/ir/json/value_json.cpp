#include "ir/json/value_json.h"

#include "ir/json/document.h"
#include "ir/json/value_writer.h"
#include "ir/json/values.h"

namespace aotscope::ir {

std::string valueToJson(const ValueMeta& value) {
    const SymbolBindings bindings;
    detail::Hints hints(bindings);
    detail::JsonWriter out;
    detail::ValueWriter(out, hints).write(value);
    return out.take();
}

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
