#include "answer.h"
#include "commands.h"
#include "table.h"

#include "contract/devices.h"
#include "session/shared_backend.h"

#include <cmath>
#include <memory>

namespace aotscope::cli {

AOTSCOPE_ANSWER(session::DeviceList, "aotscope.devices/2")

namespace {

/// "3352 GB/s"; empty if it is not known.
std::string amount(double value, double unit, const char* name) {
    return value <= 0 ? std::string() : std::to_string(std::llround(value / unit)) + " " + name;
}

std::string devicesText(const session::DeviceList& list) {
    Table table({"device", "name", numbers("memory"), numbers("cores"), numbers("capability"),
                 numbers("peak bandwidth"), numbers("peak float32")});
    for (const session::DeviceInfo& device : list.devices) {
        table.add({device.device.text(), device.name,
                   amount(static_cast<double>(device.memoryBytes), 1 << 30, "GiB"),
                   std::to_string(device.cores), device.computeCapability,
                   amount(device.peakBytesPerSecond, 1e9, "GB/s"),
                   amount(device.peakFlopsPerSecond, 1e12, "TFLOP/s")});
    }
    std::string text = table.text(resultWidth());
    if (!list.driverVersion.empty()) {
        text += "NVIDIA driver for CUDA " + list.driverVersion + "\n";
    }
    if (!list.noGpu.empty()) {
        text += "No GPU can be used: " + list.noGpu + "\n";
    }
    for (const session::MissingLibrary& library : list.missing) {
        text += "  missing: " + library.name + " (" + library.detail +
                "); to install it: " + library.install + "\n";
    }
    return text;
}

int showDevices(Program& program, const bool& json) {
    const auto devices = [](session::Backend& backend) { return base::Result(backend.devices()); };
    const session::DeviceList list = orFail(ExitNo, program.session.backend().use({}, devices));
    program.console.result(json ? answerText(list) : devicesText(list));
    return ExitYes;
}

} // namespace

void addDevicesCommand(Command app, Action& chosen) {
    const Command command = app.addCommand("devices", "List what graphs can run on, and why there is no GPU");
    command.setFooter(
        "The peaks of a GPU follow from the clocks, widths and cores that its driver names. What "
        "LibTorch needs for GPUs and is not there is listed, each with the command that installs "
        "it.");
    auto json = std::make_shared<bool>(false);
    command.addFlag("--json", json.get(), jsonHelp<session::DeviceList>());
    onCall(command, chosen, json, showDevices);
}

} // namespace aotscope::cli
