#include "steps/step_pause.h"

#include "ir/cursor.h"

#include <array>
#include <charconv>
#include <utility>

namespace aotscope::steps {

namespace {

using Asked = StepAnswer::Kind;

constexpr std::array<std::pair<std::string_view, Asked>, 9> words = {{{"into", Asked::Into},
                                                                      {"over", Asked::Over},
                                                                      {"out", Asked::Out},
                                                                      {"back", Asked::BackInto},
                                                                      {"back-over", Asked::BackOver},
                                                                      {"back-out", Asked::BackOut},
                                                                      {"resume", Asked::Resume},
                                                                      {"resume-back", Asked::ResumeBack},
                                                                      {"abort", Asked::Abort}}};

} // namespace

base::Result<StepAnswer> StepAnswer::parse(std::string_view written) {
    const std::string_view text = ir::trimmed(written);
    for (const auto& [word, kind] : words) {
        if (text == word) {
            return StepAnswer{kind};
        }
    }
    constexpr std::string_view to = "to ";
    if (text.starts_with(to)) {
        const std::string_view number = ir::trimmed(text.substr(to.size()));
        StepAnswer answer{Asked::RunTo};
        const char* last = number.data() + number.size();
        const auto [end, failed] = std::from_chars(number.data(), last, answer.event);
        if (failed == std::errc() && end == last) {
            return answer;
        }
    }
    return base::Error{.code = "step.command",
                       .message = "\"" + std::string(written) + "\" is not a step.",
                       .hint = "Write into, over, out, back, back-over, back-out, to EVENT (to 12), resume, "
                               "resume-back or abort."};
}

} // namespace aotscope::steps
