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

Json warningsJson(std::span<const passes::GraphWarning> warnings) {
    Json list = Json::array();
    for (const passes::GraphWarning& warning : warnings) {
        list.push_back({{"severity", base::wordOf(warning.severity)},
                        {"code", warning.code},
                        {"graph", base::wordOf(warning.graph)},
                        {"nodes", warning.nodes},
                        {"message", warning.message},
                        {"hint", warning.hint}});
    }
    return list;
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
