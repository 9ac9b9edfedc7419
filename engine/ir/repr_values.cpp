#include "ir/repr_values.h"

#include "ir/operator_name.h"
#include "ir/python_literal.h"
#include "ir/repr_scan.h"

#include "base/numbers.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <system_error>

namespace aotscope::ir::detail {

using Json = nlohmann::ordered_json;

Json wordJson(std::string_view word) {
    if (word == "None") {
        return nullptr;
    }
    if (word == "True" || word == "False") {
        return word == "True";
    }
    if (const auto number = base::wholeNumber<std::int64_t>(word)) {
        return *number;
    }
    if (const auto real = parsePythonFloat(word)) {
        return *real;
    }
    if (word.find('.') != std::string_view::npos) {
        return word;
    }
    return isWordStart(word.front()) ? Json{{"symint", word}} : Json{{"repr", word}};
}

Json angledJson(std::string_view inside) {
    constexpr std::string_view classStart = "class '";
    if (inside.starts_with(classStart) && inside.ends_with('\'') && inside.size() > classStart.size()) {
        return Json{
            {"type", lastPart(inside.substr(classStart.size(), inside.size() - classStart.size() - 1))}};
    }
    const std::size_t colon = inside.find(": ");
    if (colon != std::string_view::npos && std::ranges::all_of(inside.substr(0, colon), isWord)) {
        return Json{{"enum", inside.substr(0, colon)}};
    }
    return Json{{"repr", "<" + std::string(inside) + ">"}};
}

Json tensorJson(const Json& fields) {
    Json object{{"kind", "tensor"}};
    object["shape"] = fields.contains("size") ? fields["size"] : Json::array();
    if (fields.contains("dtype") && fields["dtype"].is_string()) {
        const std::string dtype = fields["dtype"];
        object["dtype"] = dtype.starts_with("torch.") ? dtype.substr(6) : dtype;
    }
    if (fields.contains("device") && fields["device"].is_string()) {
        object["device"] = fields["device"];
    }
    return object;
}

} // namespace aotscope::ir::detail
