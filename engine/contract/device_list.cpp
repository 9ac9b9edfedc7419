#include "contract/device_list.h"

#include <algorithm>

namespace aotscope::session {

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
