#include "ir/json/python_text.h"

#include "ir/python_literal.h"
#include "ir/repr_scan.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace aotscope::ir::detail {
namespace {

using Json = nlohmann::ordered_json;

constexpr int deepest = 100;
constexpr std::size_t longest = 64U << 10U;

class PythonText {
public:
    std::string text;

    void add(const Json& value, int depth = 0) {
        if (depth > deepest || text.size() > longest) {
            text += text.ends_with("…") ? "" : "…";
        } else if (value.is_string()) {
            addString(value.get_ref<const std::string&>());
        } else if (value.is_array()) {
            addItems('[', value, ']', depth);
        } else if (value.is_object()) {
            addObject(value, depth);
        } else {
            text += value.is_null()      ? "None"
                    : value.is_boolean() ? (value.get<bool>() ? "True" : "False")
                                         : value.dump();
        }
    }

private:
    /// jsonFromRepr keeps dotted names ("torch.float32") as strings.
    void addString(const std::string& value) {
        const bool isName = value.starts_with("torch.") && std::ranges::all_of(value, isWord);
        text += isName ? value : pythonString(value);
    }

    void addItems(char open, const Json& items, char close, int depth) {
        text += open;
        bool isFirst = true;
        for (const auto& [key, value] : items.items()) {
            if (key == "_class") {
                continue;
            }
            text += isFirst ? "" : ", ";
            isFirst = false;
            text += open == '(' ? key + "=" : open == '{' ? pythonString(key) + ": " : "";
            add(value, depth + 1);
            if (text.size() > longest) {
                break;
            }
        }
        text += close;
    }

    void addObject(const Json& object, int depth) {
        for (const char* plain : {"repr", "symint", "enum", "type"}) {
            if (object.size() == 1 && object.contains(plain) && object[plain].is_string()) {
                text += object[plain].get_ref<const std::string&>();
                return;
            }
        }
        const bool isTensor = object.contains("kind") && object["kind"] == "tensor";
        const bool isClass = object.contains("_class") && object["_class"].is_string();
        if (isClass) {
            text += object["_class"].get_ref<const std::string&>();
        } else if (isTensor) {
            text += "Tensor";
        }
        const bool isCall = isClass || isTensor;
        addItems(isCall ? '(' : '{', object, isCall ? ')' : '}', depth);
    }
};

} // namespace

std::string pythonText(const Json& value) {
    PythonText python;
    python.add(value);
    return std::move(python.text);
}

} // namespace aotscope::ir::detail
