#pragma once

#include <aotscope/aot.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

/// What one call is made with.
struct Arguments {
    std::vector<aotscope::Value> inputs;
    /// Where its backward starts; empty: no backward.
    std::vector<aotscope::Tensor> tangents;
};

/// One program of aot_cases.txt: an entry point with options, a graph's text, and tensors.
struct Case {
    std::string name;
    std::string entry;
    std::map<std::string, std::string> options;
    std::string graph;
    /// At least one.
    std::vector<Arguments> arguments = std::vector<Arguments>(1);
    std::vector<std::pair<std::string, aotscope::Tensor>> parameters;
    std::vector<std::pair<std::string, aotscope::Tensor>> buffers;

    [[nodiscard]] bool has(const std::string& option) const {
        const auto found = options.find(option);
        return found != options.end() && found->second == "1";
    }
};

/// Reads the file. A line that it does not know ends the program.
[[nodiscard]] std::vector<Case> readCases(const std::string& path);
