#pragma once

#include <sstream>
#include <string>

namespace aotscope::test {

/// A graph's text without its source comments, which the joint graph's text cannot tell for torch 2.15's
/// recomputed nodes, and without empty lines, the tabs of a log and spaces at the ends.
inline std::string statements(const std::string& text) {
    std::string out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        line.erase(line.find_last_not_of(' ') + 1);
        line.erase(0, line.starts_with('\t') ? 1 : 0);
        const std::size_t first = line.find_first_not_of(' ');
        if (first != std::string::npos && line[first] != '#') {
            out += line + '\n';
        }
    }
    return out;
}

} // namespace aotscope::test
