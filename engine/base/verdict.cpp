#include "base/verdict.h"

namespace aotscope::base {

namespace {

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

bool Verdict::isEqual() const {
    return word == VerdictWord::Equal || word == VerdictWord::EqualUpToNames;
}

std::string verdictText(const Verdict& verdict) {
    std::string text(base::wordOf(verdict.word));
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
