#include "ir/json/aot_metadata_json.h"
#include "ir/json/python_text.h"
#include "ir/python_repr.h"

#include <nlohmann/json.hpp>

namespace aotscope::ir {

base::Result<std::vector<OtherField>> fieldsFromRepr(std::string_view text) {
    auto read = readRepr(text);
    if (!read) {
        return std::move(read).error();
    }
    const auto json = nlohmann::ordered_json::parse(read->json, nullptr, false);
    if (!json.is_object() || !json.contains("_class")) {
        return base::Error{.code = "ir.metadata_form", .message = "The text is no dataclass."};
    }
    std::vector<OtherField> fields;
    for (const auto& [name, value] : json.items()) {
        if (name == "_class") {
            continue;
        }
        if (!value.is_object() || !value.contains("_class")) {
            fields.push_back({name, detail::pythonText(value)});
            continue;
        }
        for (const auto& [inner, innerValue] : value.items()) {
            if (inner != "_class") {
                fields.push_back({name + "." + inner, detail::pythonText(innerValue)});
            }
        }
    }
    return fields;
}

} // namespace aotscope::ir
