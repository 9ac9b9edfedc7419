#include "config_option.h"

namespace aotscope::cli {

void addConfigOption(Command command, std::vector<aot::ConfigSetting>& settings) {
    const auto take = [&settings](const std::vector<std::string>& texts) -> std::optional<base::Error> {
        settings.clear();
        for (const std::string& text : texts) {
            AOTSCOPE_TRY(setting, aot::configSettingFrom(text));
            settings.push_back(std::move(setting));
        }
        return std::nullopt;
    };
    command
        .addOption("--config", TakeTexts(take),
                   "NAME=VALUE: an option of torch._functorch.config in place of the file's "
                   "(activation_memory_budget=0.5); can be given several times. `open FILE --id ID --config` "
                   "lists those of the file")
        .takeAll()
        .oneValueEach();
}

std::string configurationText(const std::optional<aot::FunctorchConfig>& config, aot::TorchVersion release,
                              unsigned touched) {
    const std::string note = config ? aot::configurationNote(*config, release, touched) : std::string();
    return note.empty() ? note : "  " + note + "\n";
}

std::vector<OptionAnswer> configurationAnswer(const aot::FunctorchConfig& config, aot::TorchVersion release,
                                              unsigned touched) {
    std::vector<OptionAnswer> options;
    for (const aot::ConfigOption& option : aot::configOptions()) {
        if ((option.touches & touched) != 0 && !aot::isDefault(config, option, release)) {
            const std::string name(option.name);
            options.push_back({name, aot::optionText(config, option),
                               config.chosen.contains(name) ? "chosen" : "log",
                               aot::isFollowed(config, option, release)});
        }
    }
    for (const auto& [name, text] : config.unknown) {
        options.push_back({name, text, "log", false});
    }
    return options;
}

} // namespace aotscope::cli
