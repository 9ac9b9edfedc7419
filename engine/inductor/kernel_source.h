#pragma once

#include "inductor/output_code.h"

#include <string_view>

namespace aotscope::inductor {

/// Reads what a kernel's own source says of it: its kind by the decorator or, without one, by its name; its
/// parameters; `inductor_meta` and the heuristic's arguments as facts. `family` is the method that compiles
/// it
/// ("triton", "cpp_pybinding", …).
void readKernelSource(std::string_view source, std::string_view family, Kernel& kernel);

/// The parameters of a C++ function from the text between its parentheses.
[[nodiscard]] std::vector<KernelParameter> cppParameters(std::string_view declaration);

} // namespace aotscope::inductor
