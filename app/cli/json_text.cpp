#include "json_text.h"

#include <cmath>

namespace aotscope::cli {

std::string jsonText(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json errorJson(const base::Error& error) {
    Json json{{"code", error.code}, {"message", error.message}};
    json["file"] = error.place.file;
    json["line"] = error.place.line;
    json["column"] = error.place.column;
    json["node"] = error.place.node;
    json["notes"] = error.notes;
    json["hint"] = error.hint;
    return json;
}

Json numberJson(std::optional<double> number) {
    if (!number) {
        return nullptr;
    }
    if (!std::isfinite(*number)) {
        return std::isnan(*number) ? "nan" : *number > 0 ? "inf" : "-inf";
    }
    return *number;
}

} // namespace aotscope::cli
