#include "answer.h"

namespace aotscope::cli {

std::vector<AnswerKind>& answerKinds() {
    static std::vector<AnswerKind> kinds;
    return kinds;
}

} // namespace aotscope::cli
