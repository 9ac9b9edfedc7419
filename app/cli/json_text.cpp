#include "json_text.h"

#include "answer.h"

#include <cmath>

namespace aotscope::cli {

std::string jsonText(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json errorJson(const base::Error& error) {
    return answerJson(error);
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
