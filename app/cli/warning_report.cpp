#include "warning_report.h"

#include <algorithm>
#include <iterator>

namespace aotscope::cli {

std::string warningsText(std::span<const passes::GraphWarning> warnings) {
    std::string text;
    for (const passes::GraphWarning& warning : warnings) {
        text += "  " + passes::warningText(warning) + "\n";
    }
    return text;
}

std::vector<passes::GraphWarning> warningsOfNode(std::span<const passes::GraphWarning> warnings,
                                                 const std::string& node) {
    std::vector<passes::GraphWarning> found;
    std::ranges::copy_if(warnings, std::back_inserter(found), [&](const passes::GraphWarning& warning) {
        return std::ranges::find(warning.nodes, node) != warning.nodes.end();
    });
    return found;
}

} // namespace aotscope::cli
