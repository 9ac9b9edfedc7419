#include "device_option.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace aotscope::cli {

void addDeviceOption(CLI::App& command, session::DeviceChoice& device, const std::string& help) {
    const auto take = [&device](const std::string& text) {
        auto choice = session::deviceChoiceFromText(text);
        if (!choice) {
            throw CLI::ValidationError("--device", choice.error().message + " " + choice.error().hint);
        }
        device = *choice;
    };
    command.add_option_function<std::string>(
        "--device", take, help + " cpu (the default), cuda, or cuda:1; see the command devices");
}

} // namespace aotscope::cli
