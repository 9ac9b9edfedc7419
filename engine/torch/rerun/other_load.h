#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace aotscope::torch {

/// How much of this computer's processors other programs use while something is timed: their load makes it
/// slower than it is. Counts from its making.
class OtherLoad {
public:
    OtherLoad();

    /// "other programs used 63 % of the processors meanwhile"; empty where they did not disturb, the system
    /// does not tell, or too little time has passed to know.
    [[nodiscard]] std::string words() const;

private:
    struct Used {
        /// Of all programs, and of this one, in seconds of processor time.
        double all = 0;
        double own = 0;
        double idle = 0;
    };
    [[nodiscard]] static std::optional<Used> used();

    std::optional<Used> m_before;
    std::chrono::steady_clock::time_point m_start;
};

} // namespace aotscope::torch
