#pragma once

#include "logged_kernels.h"
#include "program.h"

#include <filesystem>
#include <string>
#include <vector>

namespace aotscope::cli {

/// Which kernels of logs to list: those that Inductor generated.
struct LoggedKernelsRequest {
    std::vector<std::filesystem::path> files;
    /// Only the kernels of this compile; empty: of all compiles.
    std::string id;
    /// Only the source of this kernel; empty: the list.
    std::string code;
    LaunchFilter filter;
    /// Empty: standard output.
    std::filesystem::path out;
    bool json = false;
};

/// Prints them with the nodes and source lines that they compute. Fails with cli.no_kernels if there are
/// none.
int listLoggedKernels(Program& program, const LoggedKernelsRequest& options);

} // namespace aotscope::cli
