#pragma once

#include <sstream>
#include <string>

namespace aotscope::test {

/// Removes trailing spaces and trailing blank lines: print_readable pads blank lines.
inline std::string withoutTrailingSpaces(const std::string& text) {
    std::string out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + '\n';
    }
    out.erase(out.find_last_not_of('\n') + 1);
    return out;
}

/// The comment lines, without their indentation.
inline std::string commentLines(const std::string& text) {
    std::string out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        const std::size_t start = line.find_first_not_of(' ');
        if (start != std::string::npos && line[start] == '#') {
            out += line.substr(start, line.find_last_not_of(' ') + 1 - start) + '\n';
        }
    }
    return out;
}

/// The first line in which two texts differ, from both sides.
inline std::string firstLineDifference(const std::string& left, const std::string& right) {
    std::istringstream a(left);
    std::istringstream b(right);
    std::string lineA;
    std::string lineB;
    for (int number = 1;; ++number) {
        const bool moreA = static_cast<bool>(std::getline(a, lineA));
        const bool moreB = static_cast<bool>(std::getline(b, lineB));
        if (!moreA && !moreB) {
            return {};
        }
        if (!moreA || !moreB || lineA != lineB) {
            return "line " + std::to_string(number) + "\n  logged:  " + (moreA ? lineA : "(end)") +
                   "\n  printed: " + (moreB ? lineB : "(end)");
        }
    }
}

} // namespace aotscope::test
