#pragma once

#include "command_line.h"

#include "contract/device_choice.h"

#include <string>

namespace aotscope::cli {

/// Adds `--device cpu|cuda|cuda:N`. `device` must outlive the command. `help` begins its help: the
/// device's use. Returns the option.
Option addDeviceOption(Command command, session::DeviceChoice& device, const std::string& help = "Device");

} // namespace aotscope::cli
