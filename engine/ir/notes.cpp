#include "ir/notes.h"

#include <nlohmann/json.hpp>

namespace aotscope::ir {

std::string jsonString(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string fromJsonString(std::string_view json) {
    const nlohmann::json value = nlohmann::json::parse(json, nullptr, false);
    return value.is_string() ? value.get<std::string>() : std::string(json);
}

} // namespace aotscope::ir
