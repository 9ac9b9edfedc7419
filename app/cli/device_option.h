#pragma once

#include "session/device_choice.h"

#include <string>

namespace CLI {
class App;
}

namespace aotscope::cli {

/// Adds `--device cpu|cuda|cuda:N`. `device` must outlive the command. `help` begins its help: what is done
/// there.
void addDeviceOption(CLI::App& command, session::DeviceChoice& device, const std::string& help = "Run on");

} // namespace aotscope::cli
