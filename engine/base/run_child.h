#pragma once

#include "base/result.h"

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::base {

struct ChildRun {
    std::string output;
    /// The beginning of its standard error output.
    std::string messages;
    /// How it ended, as waitpid gives it: 0 if it ended well (exitText puts it into words).
    int status = 0;
};

/// What a child may take.
struct ChildLimits {
    std::chrono::duration<double> time;
    /// More output than this is an error.
    std::size_t outputBytes = std::size_t{256} << 20U;
    /// What comes after these bytes of its standard error output is dropped.
    std::size_t messageBytes = 4096;
};

/// Runs a program (found on PATH unless it has a slash) without a shell, in its own process group. Writes
/// `input` to it and reads its output at the same time, so that neither side can block the other. The whole
/// group is always killed and reaped before this returns. A program that fails is no error: see `status`.
///
/// Errors: session.canceled, base.program_missing, base.program_late (after `limits.time`),
/// base.program_failed (too much output, or no more pipes).
[[nodiscard]] Result<ChildRun> runChild(const std::string& program, const std::vector<std::string>& arguments,
                                        std::string_view input, const ChildLimits& limits,
                                        const std::stop_token& stop);

} // namespace aotscope::base
