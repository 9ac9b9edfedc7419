#pragma once

#include <optional>
#include <stop_token>
#include <string>

namespace aotscope::cli {

/// Lines of stdin. A stop request ends the wait for the next line.
class InputLines {
public:
    explicit InputLines(std::stop_token stop) : m_stop(std::move(stop)) {}
    /// Nothing at the end of the input or when stopped.
    [[nodiscard]] std::optional<std::string> next();
    [[nodiscard]] static bool fromTerminal();

private:
    [[nodiscard]] bool readMore();

    std::stop_token m_stop;
    std::string m_pending;
    bool m_ended = false;
};

} // namespace aotscope::cli
