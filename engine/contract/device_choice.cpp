#include "contract/device_choice.h"

#include "base/numbers.h"

namespace aotscope::session {

std::string DeviceChoice::text() const {
    return isCuda() ? "cuda:" + std::to_string(index) : "cpu";
}

base::Result<DeviceChoice> deviceChoiceFromText(std::string_view text) {
    constexpr std::string_view cuda = "cuda";
    constexpr int mostDevices = 64;
    if (text == "cpu") {
        return DeviceChoice{};
    }
    if (text == cuda) {
        return DeviceChoice{DeviceChoice::Kind::Cuda, 0};
    }
    if (text.starts_with("cuda:")) {
        const int index = base::wholeNumber<int>(text.substr(cuda.size() + 1)).value_or(-1);
        if (index >= 0 && index < mostDevices) {
            return DeviceChoice{DeviceChoice::Kind::Cuda, index};
        }
    }
    return base::Error{.code = "run.device_name",
                       .message = "\"" + std::string(text) + "\" is no device to run on.",
                       .hint = "Write cpu, cuda, or cuda:1 for the second GPU. `aotscope-cli devices` lists "
                               "those of this machine."};
}

} // namespace aotscope::session
