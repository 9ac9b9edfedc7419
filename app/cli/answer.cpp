#include "answer.h"

namespace aotscope::cli {

std::string jsonText(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<AnswerKind>& answerKinds() {
    static std::vector<AnswerKind> kinds;
    return kinds;
}

} // namespace aotscope::cli
