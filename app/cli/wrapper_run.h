#pragma once

#include "call_report.h"
#include "program.h"

#include "aot/functorch_config.h"
#include "contract/call_options.h"

#include <cstdint>
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

/// Options of `run --trace-wrappers` and `run --reference eager`.
struct WrapperRunOptions {
    std::vector<std::filesystem::path> files;
    /// Empty: all functions of the files.
    std::string id;
    session::CallOptions call;
    /// Take the compile and its partition from the cache of compiled functions, and put new ones there.
    bool cache = false;
    std::vector<aot::ConfigSetting> config = {};
    CallShown shown = CallShown::Events;
    /// Also what is behind each verdict.
    bool explain = false;
    bool json = false;
};

/// Compiles functions again and calls each through its wrappers, beside Dynamo's graph in eager mode. Golden
/// files that hold the inputs of PyTorch's own call are called with these. Returns ExitNo when one differs or
/// cannot be called, or, with `--reference eager`, cannot be compared.
[[nodiscard]] int runWrappers(Program& program, const WrapperRunOptions& options);

} // namespace aotscope::cli
