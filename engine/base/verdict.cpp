#include "base/verdict.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace aotscope::base {

namespace {

constexpr std::array<std::string_view, 6> verdictWords = {
    "equal",          "equal up to names", "differs", "equal under the default partitioner",
    "not comparable", "not supported"};

void addLines(std::string& text, std::string_view heading, const std::vector<std::string>& lines) {
    if (lines.empty()) {
        return;
    }
    text += "  " + std::string(heading) + ":\n";
    for (const std::string& line : lines) {
        text += "    " + line + "\n";
    }
}

} // namespace

std::string_view verdictWordText(VerdictWord word) {
    return verdictWords.at(static_cast<std::size_t>(word));
}

std::optional<VerdictWord> verdictWordFromText(std::string_view text) {
    const auto found = std::ranges::find(verdictWords, text);
    if (found == verdictWords.end()) {
        return std::nullopt;
    }
    return static_cast<VerdictWord>(found - verdictWords.begin());
}

bool Verdict::isEqual() const {
    return word == VerdictWord::Equal || word == VerdictWord::EqualUpToNames;
}

std::string verdictText(const Verdict& verdict) {
    std::string text(verdictWordText(verdict.word));
    return verdict.reason.empty() ? text : text + ": " + verdict.reason;
}

std::string explainedVerdict(const Verdict& verdict) {
    std::string text = verdictText(verdict) + "\n";
    addLines(text, "compared", verdict.compared);
    addLines(text, "not compared", verdict.notCompared);
    addLines(text, "configuration", verdict.configuration);
    addLines(text, "tolerances", verdict.tolerances);
    return text;
}

} // namespace aotscope::base
