// What people read of a configuration.
#include "aot/functorch_config.h"

#include "aot/versions/versions.h"

#include "base/joined.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace aotscope::aot {
namespace {

std::string lineOf(const FunctorchConfig& config, const ConfigOption& option, bool followed) {
    const bool chosen = config.chosen.contains(std::string(option.name));
    return std::string(option.name) + " = " + optionText(config, option) +
           (chosen ? " (chosen)" : " (from the log)") + (followed ? "" : ", which is not followed");
}

std::vector<std::string> differingLines(const FunctorchConfig& config, TorchVersion release,
                                        unsigned touched) {
    std::vector<std::string> lines;
    for (const ConfigOption& option : configOptions()) {
        if ((option.touches & touched) == 0 || isDefault(config, option, release)) {
            continue;
        }
        const bool followed = isFollowed(config, option, release);
        // What a backend always sets is no news, as long as it is followed.
        if (!followed || !config.ofBackend.contains(std::string(option.name))) {
            lines.push_back(lineOf(config, option, followed));
        }
    }
    for (const auto& [name, text] : config.unknown) {
        lines.push_back(name + " = " + text + " (from the log), an option that is not known here");
    }
    return lines;
}

std::vector<std::string> assumedLines(const FunctorchConfig& config, TorchVersion release, unsigned touched) {
    std::vector<std::string> lines;
    for (const ConfigOption* option : assumedOptions(config, touched)) {
        const std::string name(option->name);
        lines.push_back(
            isDefault(config, *option, release)
                ? name + " is not in the log: " + optionText(config, *option) + " is assumed"
                : name + " = " + optionText(config, *option) +
                      " is assumed to be the backend's, not the process's, which is not in the log");
    }
    return lines;
}

} // namespace

std::string touchesText(unsigned touched) {
    std::string text;
    for (const auto& [part, name] :
         {std::pair(touches::trace, "trace"), std::pair(touches::partition, "partition"),
          std::pair(touches::call, "call")}) {
        if ((touched & part) != 0) {
            text += (text.empty() ? "" : ", ") + std::string(name);
        }
    }
    return text.empty() ? "nothing" : text;
}

std::vector<std::string> configurationLines(const FunctorchConfig& config, TorchVersion release,
                                            unsigned touched) {
    std::vector<std::string> lines = differingLines(config, release, touched);
    std::ranges::move(assumedLines(config, release, touched), std::back_inserter(lines));
    return lines;
}

std::string configurationNote(const FunctorchConfig& config, TorchVersion release, unsigned touched) {
    const std::string differing = base::joined(differingLines(config, release, touched), "; ");
    std::string note = differing.empty()
                           ? ""
                           : "Options that differ from the defaults of torch " +
                                 torchVersionText(rulesVersion(release)) + ": " + differing + ".";
    for (const std::string& line : assumedLines(config, release, touched)) {
        note += (note.empty() ? "" : " ") + line + ".";
    }
    return note;
}

} // namespace aotscope::aot
