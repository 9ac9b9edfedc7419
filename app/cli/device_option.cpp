#include "device_option.h"

namespace aotscope::cli {

Option addDeviceOption(Command command, session::DeviceChoice& device, const std::string& help) {
    const auto take = [&device](const std::string& text) -> std::optional<base::Error> {
        AOTSCOPE_TRY(choice, session::deviceChoiceFromText(text));
        device = choice;
        return std::nullopt;
    };
    return command.addOption("--device", take,
                             help + ": cpu (default), cuda, or cuda:N; see the command devices");
}

} // namespace aotscope::cli
