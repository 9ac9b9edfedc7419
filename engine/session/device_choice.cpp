#include "session/device_choice.h"

#include <charconv>

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
        const std::string_view digits = text.substr(cuda.size() + 1);
        int index = -1;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
        if (error == std::errc() && end == digits.data() + digits.size() && index >= 0 &&
            index < mostDevices) {
            return DeviceChoice{DeviceChoice::Kind::Cuda, index};
        }
    }
    return base::Error{.code = "run.device_name",
                       .message = "\"" + std::string(text) + "\" is no device to run on.",
                       .hint = "Write cpu, cuda, or cuda:1 for the second GPU. `aotscope-cli devices` lists "
                               "those of this machine."};
}

} // namespace aotscope::session
