#pragma once

#include "base/describe.h"

#include <filesystem>
#include <string>
#include <string_view>

/// Logging for the whole program: one line per message with time, level and category. Only log.cpp includes
/// the library behind it (spdlog, or plain stderr if it is absent), because spdlog's headers conflict with
/// LibTorch's.
namespace aotscope::base {

enum class LogLevel { Trace, Debug, Info, Warning, Error, Off };
AOTSCOPE_WORDS(LogLevel, "trace", "debug", "info", "warning", "error", "off")

struct LogOptions {
    LogLevel level = LogLevel::Warning;
    /// A rotating file (5 MiB, 3 kept) in addition to stderr; empty: none. If it cannot be opened, this is
    /// reported on stderr and the file is ignored.
    std::filesystem::path file;
};

/// Sets level and targets; AOTSCOPE_LOG=level in the environment overrides `options.level`. May be called
/// again. Without a call, warnings and errors go to stderr.
void configureLog(const LogOptions& options);

[[nodiscard]] bool logEnabled(LogLevel level);

/// `category` is "aotscope.<area>", e.g. "aotscope.load".
void log(LogLevel level, std::string_view category, std::string_view message);

inline void logDebug(std::string_view category, std::string_view message) {
    log(LogLevel::Debug, category, message);
}
inline void logInfo(std::string_view category, std::string_view message) {
    log(LogLevel::Info, category, message);
}
inline void logWarning(std::string_view category, std::string_view message) {
    log(LogLevel::Warning, category, message);
}
inline void logError(std::string_view category, std::string_view message) {
    log(LogLevel::Error, category, message);
}

} // namespace aotscope::base
