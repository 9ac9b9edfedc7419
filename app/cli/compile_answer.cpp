#include "compile_answer.h"

namespace aotscope::cli {

std::string configurationText(const std::optional<aot::FunctorchConfig>& config, aot::TorchVersion release,
                              unsigned touched) {
    const std::string note = config ? aot::configurationNote(*config, release, touched) : std::string();
    return note.empty() ? note : "  " + note + "\n";
}

std::optional<std::vector<OptionAnswer>>
configurationAnswer(const std::optional<aot::FunctorchConfig>& config, aot::TorchVersion release,
                    unsigned touched) {
    if (!config) {
        return std::nullopt;
    }
    std::vector<OptionAnswer> options;
    for (const aot::ConfigOption& option : aot::configOptions()) {
        if ((option.touches & touched) != 0 && !aot::isDefault(*config, option, release)) {
            const std::string name(option.name);
            options.push_back({name, aot::optionText(*config, option),
                               config->chosen.contains(name) ? "chosen" : "log",
                               aot::isFollowed(*config, option, release)});
        }
    }
    for (const auto& [name, text] : config->unknown) {
        options.push_back({name, text, "log", false});
    }
    return options;
}

} // namespace aotscope::cli
