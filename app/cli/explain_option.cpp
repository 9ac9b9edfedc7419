#include "explain_option.h"

#include <sstream>

namespace aotscope::cli {

Option addExplainOption(Command command, bool& explain) {
    return command.addFlag("--explain", &explain,
                           "After each verdict: what was compared, under which configuration and "
                           "tolerance, and what was not");
}

std::string verdictLines(const base::Verdict& verdict, bool explain, const std::string& indent) {
    std::istringstream text(explain ? base::explainedVerdict(verdict) : base::verdictText(verdict));
    std::string lines;
    for (std::string line; std::getline(text, line);) {
        lines += indent + line + "\n";
    }
    return lines;
}

} // namespace aotscope::cli
