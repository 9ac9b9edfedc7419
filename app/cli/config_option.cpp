#include "config_option.h"

namespace aotscope::cli {

void addConfigOption(Command command, std::vector<aot::ConfigSetting>& settings) {
    const auto take = [&settings](const std::vector<std::string>& texts) -> std::optional<base::Error> {
        settings.clear();
        for (const std::string& text : texts) {
            auto setting = aot::configSettingFrom(text);
            if (!setting) {
                return setting.error();
            }
            settings.push_back(std::move(setting).value());
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

Json configurationJson(const aot::FunctorchConfig& config, aot::TorchVersion release, unsigned touched) {
    Json list = Json::array();
    for (const aot::ConfigOption& option : aot::configOptions()) {
        if ((option.touches & touched) == 0 || aot::isDefault(config, option, release)) {
            continue;
        }
        list.push_back({{"name", std::string(option.name)},
                        {"value", aot::optionText(config, option)},
                        {"from", config.chosen.contains(std::string(option.name)) ? "chosen" : "log"},
                        {"followed", aot::isFollowed(config, option, release)}});
    }
    for (const auto& [name, text] : config.unknown) {
        list.push_back({{"name", name}, {"value", text}, {"from", "log"}, {"followed", false}});
    }
    return list;
}

} // namespace aotscope::cli
