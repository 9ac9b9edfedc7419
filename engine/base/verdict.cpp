#include "base/verdict.h"

#include <utility>

namespace aotscope::base {

bool Verdict::isEqual() const {
    return word == VerdictWord::Equal || word == VerdictWord::EqualUpToNames;
}

std::string verdictText(const Verdict& verdict) {
    std::string text(base::wordOf(verdict.word));
    return verdict.reason.empty() ? text : text + ": " + verdict.reason;
}

std::string explainedVerdict(const Verdict& verdict) {
    std::string text = verdictText(verdict) + "\n";
    for (const auto& [heading, lines] :
         {std::pair("compared", &verdict.compared), std::pair("not compared", &verdict.notCompared),
          std::pair("configuration", &verdict.configuration), std::pair("tolerances", &verdict.tolerances)}) {
        text += lines->empty() ? "" : "  " + std::string(heading) + ":\n";
        for (const std::string& line : *lines) {
            text += "    " + line + "\n";
        }
    }
    return text;
}

} // namespace aotscope::base
