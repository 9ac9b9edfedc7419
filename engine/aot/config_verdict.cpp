#include "aot/config_verdict.h"

#include <string>
#include <utility>

namespace aotscope::aot {
namespace {

void takeBack(base::Verdict& verdict, base::VerdictWord word, std::string reason) {
    verdict.word = word;
    verdict.notCompared.push_back("from the first difference on: " +
                                  std::exchange(verdict.reason, std::move(reason)));
}

} // namespace

void doubtDifference(base::Verdict& verdict, const FunctorchConfig& config, TorchVersion made,
                     unsigned touched) {
    if (verdict.word != base::VerdictWord::Differs) {
        return;
    }
    for (const ConfigOption& option : configOptions()) {
        if ((option.touches & touched) != 0 && !isFollowed(config, option, made)) {
            takeBack(verdict, base::VerdictWord::NotSupported,
                     std::string(option.name) + " = " + optionText(config, option) +
                         ", an option that is not followed");
            return;
        }
    }
    if (config.assumed.contains("joint_custom_pass") && (touched & touches::partition) != 0) {
        verdict.notCompared.emplace_back(
            "what a joint_custom_pass would change, of which the log does not tell: none is assumed");
    }
    std::string assumed;
    for (const std::string& name : assumedOptions(config, touched)) {
        const bool isSet = !isDefault(config, *tryConfigOption(name), made);
        assumed += (assumed.empty() ? "" : " and ") +
                   (isSet ? "whether the process or its backend sets " + name : name);
    }
    if (!assumed.empty()) {
        takeBack(verdict, base::VerdictWord::NotComparable,
                 "the log does not tell " + assumed + ": give them with --config NAME=VALUE");
    }
}

} // namespace aotscope::aot
