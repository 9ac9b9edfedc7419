#pragma once

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

/// What benches of the window write of their measurements.
namespace aotscope::test {

/// As a list of JSON.
inline std::string listOf(const std::vector<double>& values) {
    std::string text;
    for (const double value : values) {
        text += (text.empty() ? "[" : ", ") + std::to_string(value);
    }
    return text + "]";
}

inline double medianOf(std::vector<double> values) {
    std::ranges::sort(values);
    return values.at(values.size() / 2);
}

/// Ends the bench where it cannot go on.
inline void require(bool holds, const char* why) {
    if (!holds) {
        std::cerr << why << '\n';
        std::exit(1);
    }
}

} // namespace aotscope::test
