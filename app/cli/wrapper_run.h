#pragma once

#include "program.h"

#include "session/call_options.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::cli {

/// The options with the inputs that PyTorch's own call of a golden file was recorded with, where a person
/// gave no others; the same options for other functions.
[[nodiscard]] session::CallOptions withRecordedInputs(Program& program, const session::LogSnapshot& log,
                                                      const session::RetraceTarget& target,
                                                      session::CallOptions options);

/// What `run --trace-wrappers` is asked for.
struct WrapperRunOptions {
    std::vector<std::filesystem::path> files;
    /// Empty: all functions of the files.
    std::string id;
    session::CallOptions call;
    bool json = false;
};

/// Compiles functions again and calls each through its wrappers, beside eager. Golden files that hold the
/// inputs of PyTorch's own call are called with these. Returns ExitNo when one differs or cannot be called.
[[nodiscard]] int runWrappers(Program& program, const WrapperRunOptions& options);

} // namespace aotscope::cli
