#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Questions on numbers that only the data tell. Needs no header of LibTorch.
namespace aotscope::test {

struct UnbackedQuestion {
    /// The bounds of u0, and what the program asserts.
    std::optional<std::int64_t> least;
    std::optional<std::int64_t> most;
    std::vector<std::string> asserted;
    /// `factor*u0 relation number`, by the relation's name in Python's operator module.
    std::int64_t factor = 1;
    std::string relation;
    std::int64_t number = 0;
};

/// The answers to the ways in which LibTorch asks.
struct UnbackedAnswers {
    bool orFalse = false;
    bool orTrue = false;
    bool isKnownTrue = false;
    /// Nothing: guarding is an error, with this message.
    std::optional<bool> guarded;
    std::string error;
    /// Guards that the questions added.
    std::size_t guards = 0;
};

[[nodiscard]] UnbackedAnswers answersTo(const UnbackedQuestion& question);

} // namespace aotscope::test
