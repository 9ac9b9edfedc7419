#include "steps/step_pause.h"

#include "base/numbers.h"
#include "base/trimmed.h"

#include <algorithm>
#include <array>
#include <utility>

namespace aotscope::steps {

namespace {

using Asked = StepAnswer::Kind;

using Word = std::pair<std::string_view, Asked>;
constexpr auto words = std::to_array<Word>({{"into", Asked::Into},
                                            {"over", Asked::Over},
                                            {"out", Asked::Out},
                                            {"back", Asked::BackInto},
                                            {"back-over", Asked::BackOver},
                                            {"back-out", Asked::BackOut},
                                            {"resume", Asked::Resume},
                                            {"resume-back", Asked::ResumeBack},
                                            {"abort", Asked::Abort}});

} // namespace

base::Result<StepAnswer> StepAnswer::parse(std::string_view written) {
    const std::string_view text = base::trimmed(written);
    if (const auto* const word = std::ranges::find(words, text, &Word::first); word != words.end()) {
        return StepAnswer{word->second};
    }
    constexpr std::string_view to = "to ";
    if (text.starts_with(to)) {
        StepAnswer answer{Asked::RunTo};
        if (const auto event =
                base::wholeNumber<decltype(answer.event)>(base::trimmed(text.substr(to.size())))) {
            answer.event = *event;
            return answer;
        }
    }
    return base::Error{.code = "step.command",
                       .message = "\"" + std::string(written) + "\" is not a step.",
                       .hint = "Write into, over, out, back, back-over, back-out, to EVENT (to 12), resume, "
                               "resume-back or abort."};
}

} // namespace aotscope::steps
