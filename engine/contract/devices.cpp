#include "contract/devices.h"

#include "base/numbers.h"

#include <algorithm>

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

base::Result<void> checkDevice(const DeviceList& list, DeviceChoice choice) {
    if (!choice.isCuda()) {
        return {};
    }
    base::Error error{.code = "run.no_gpu", .message = "Nothing can run on " + choice.text() + " here."};
    if (list.noGpu.empty()) {
        const auto isChosen = [&](const DeviceInfo& info) { return info.device == choice; };
        if (std::ranges::any_of(list.devices, isChosen)) {
            return {};
        }
        error.message += " There is no such GPU in this machine.";
        error.hint = "`aotscope-cli devices` lists those that are there.";
        return error;
    }
    error.message += " " + list.noGpu;
    error.hint = "Run it on the CPU (--device cpu)";
    for (const MissingLibrary& library : list.missing) {
        error.notes.push_back("missing: " + library.name + " (" + library.detail + ")");
        if (!library.install.empty() && error.hint.find(library.install) == std::string::npos) {
            error.hint += ", or: " + library.install;
        }
    }
    error.hint += ".";
    return error;
}

} // namespace aotscope::session
