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

void doubtNotFollowed(base::Verdict& verdict, const FunctorchConfig& config, TorchVersion release,
                      unsigned touched) {
    if (verdict.word != base::VerdictWord::Differs) {
        return;
    }
    for (const ConfigOption& option : configOptions()) {
        if ((option.touches & touched) != 0 && !isFollowed(config, option, release)) {
            takeBack(verdict, base::VerdictWord::NotSupported,
                     std::string(option.name) + " = " + optionText(config, option) +
                         ", an option that is not followed");
            return;
        }
    }
}

void doubtDifference(base::Verdict& verdict, const FunctorchConfig& config, TorchVersion release,
                     unsigned touched) {
    doubtNotFollowed(verdict, config, release, touched);
    if (verdict.word != base::VerdictWord::Differs) {
        return;
    }
    std::string doubted;
    for (const ConfigOption* option : assumedOptions(config, touched)) {
        doubted += doubted.empty() ? "" : " and ";
        doubted += isDefault(config, *option, release) ? "" : "whether the process or its backend sets ";
        doubted += option->name;
    }
    if (!doubted.empty()) {
        takeBack(verdict, base::VerdictWord::NotComparable,
                 "the log does not tell " + doubted + ": give them with --config NAME=VALUE");
    }
}

} // namespace aotscope::aot
