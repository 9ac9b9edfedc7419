#include "base/log.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <iostream>
#include <mutex>

#ifdef AOTSCOPE_HAVE_SPDLOG
#include <spdlog/logger.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#endif

namespace aotscope::base {
namespace {

std::atomic<LogLevel> currentLevel{LogLevel::Warning};

#ifdef AOTSCOPE_HAVE_SPDLOG

constexpr std::size_t logFileBytes = 5U << 20U;
constexpr std::size_t logFilesKept = 3;

spdlog::level::level_enum toSpdlog(LogLevel level) {
    using enum spdlog::level::level_enum;
    constexpr std::array levels{trace, debug, info, warn, err, off};
    return levels[static_cast<std::size_t>(level)];
}

std::shared_ptr<spdlog::logger> makeLogger(const std::filesystem::path& file) {
    std::vector<spdlog::sink_ptr> sinks{std::make_shared<spdlog::sinks::stderr_color_sink_mt>()};
    if (!file.empty()) {
        try {
            std::filesystem::create_directories(file.parent_path());
            sinks.push_back(std::make_shared<spdlog::sinks::rotating_file_sink_mt>(
                file.string(), logFileBytes, logFilesKept));
        } catch (const std::exception& error) {
            std::cerr << "The log file " << file << " cannot be written: " << error.what() << '\n';
        }
    }
    auto logger = std::make_shared<spdlog::logger>("aotscope", sinks.begin(), sinks.end());
    logger->set_pattern("%Y-%m-%d %H:%M:%S.%e %^%-7l%$ %v");
    logger->set_level(spdlog::level::trace);
    logger->flush_on(spdlog::level::warn);
    return logger;
}

std::mutex loggerMutex;
std::shared_ptr<spdlog::logger> currentLogger;

std::shared_ptr<spdlog::logger> logger() {
    const std::lock_guard lock(loggerMutex);
    if (!currentLogger) {
        currentLogger = makeLogger({});
    }
    return currentLogger;
}

void write(LogLevel level, std::string_view category, std::string_view message) {
    logger()->log(toSpdlog(level), "{}: {}", category, message);
}

void setTargets(const LogOptions& options) {
    const std::lock_guard lock(loggerMutex);
    currentLogger = makeLogger(options.file);
}

#else

void write(LogLevel, std::string_view category, std::string_view message) {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    std::cerr << category << ": " << message << '\n';
}

void setTargets(const LogOptions&) {}

#endif

} // namespace

void configureLog(const LogOptions& options) {
    LogLevel level = options.level;
    if (const char* wanted = std::getenv("AOTSCOPE_LOG")) {
        level = fromWord<LogLevel>(wanted).value_or(level);
    }
    currentLevel = level;
    setTargets(options);
}

bool logEnabled(LogLevel level) {
    return level >= currentLevel.load() && level != LogLevel::Off;
}

void log(LogLevel level, std::string_view category, std::string_view message) {
    if (logEnabled(level)) {
        write(level, category, message);
    }
}

} // namespace aotscope::base
