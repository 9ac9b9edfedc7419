#pragma once

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

/// Verdicts on many compiles, stored as a table beside their input: `NAME.expected.tsv`, one line per
/// compile.
namespace aotscope::test {

[[nodiscard]] inline std::vector<std::string> tableLines(const std::filesystem::path& file) {
    std::vector<std::string> lines;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

/// The table of a file's verdicts with the LibTorch of this build: "NAME.expected.tsv" is that of the release
/// that made the input; where another one's LibTorch changes verdicts, "NAME.expected.libtorch-2.15.tsv" is
/// the table with it.
[[nodiscard]] inline std::filesystem::path tableWithThisLibTorch(const std::filesystem::path& file) {
    std::filesystem::path other = file;
    other.replace_extension(".libtorch-" AOTSCOPE_LIBTORCH_RELEASE ".tsv");
    return std::filesystem::exists(other) ? other : file;
}

/// Compares the table, including its head, with the lines found. A verdict that got better fails too, until
/// it is written down. With AOTSCOPE_WRITE_EXPECTED=1 in the environment it writes the table and prints the
/// changes. A test that runs in parts (support/test_part.h) says which lines of the table its part is about;
/// only the whole test writes.
inline void checkTable(
    const std::filesystem::path& own, const std::vector<std::string>& found,
    const std::function<bool(const std::string&)>& isAbout = [](const std::string&) { return true; }) {
    const std::filesystem::path file = tableWithThisLibTorch(own);
    std::vector<std::string> expected = tableLines(file);
    const auto others = std::erase_if(expected, [&](const std::string& line) { return !isAbout(line); });
    const bool writes = std::getenv("AOTSCOPE_WRITE_EXPECTED") != nullptr && others == 0;
    std::string differences;
    const auto tell = [&](const char* sign, const std::vector<std::string>& lines,
                          const std::vector<std::string>& beside) {
        for (const std::string& line : lines) {
            if (std::ranges::count(lines, line) != std::ranges::count(beside, line)) {
                differences += sign + line + '\n';
            }
        }
    };
    tell("- ", expected, found);
    tell("+ ", found, expected);
    if (differences.empty() && expected != found) {
        differences = "The lines are in another order.\n";
    }
    if (writes && !differences.empty()) {
        std::cout << file.filename().string() << ":\n" << differences;
        std::ofstream out(file);
        for (const std::string& line : found) {
            out << line << '\n';
        }
        return;
    }
    CHECK_MESSAGE(differences.empty(), file.filename().string()
                                           << " is not what was found; - is expected, + was found "
                                              "(AOTSCOPE_WRITE_EXPECTED=1 writes it):\n"
                                           << differences);
}

[[nodiscard]] inline std::string firstLine(const std::string& text) {
    return text.substr(0, std::min<std::size_t>(text.find('\n'), 200));
}

/// Why a graph was not traced, or where it first differs.
[[nodiscard]] inline std::string reasonOf(const nlohmann::json& compile) {
    if (compile["error"].is_object()) {
        return firstLine(compile["error"]["message"]);
    }
    if (compile["difference"].is_object()) {
        const nlohmann::json& difference = compile["difference"];
        return difference["what"].get<std::string>() + " of node " + difference["position"].dump();
    }
    if (!compile["metadata_differences"].empty()) {
        return firstLine(compile["metadata_differences"].at(0));
    }
    return compile["logged_nodes"].is_null() ? "no graph is logged" : "-";
}

/// "60/1 joint". If nothing was traced and nothing is logged, Dynamo's graph distinguishes compiles with the
/// same id.
[[nodiscard]] inline std::string idOf(const nlohmann::json& compile) {
    return compile["name"].get<std::string>() + " " +
           compile[compile["kind"] == "" ? "program" : "kind"].get<std::string>();
}

[[nodiscard]] inline std::string metadataOf(const nlohmann::json& compile) {
    const nlohmann::json& equal = compile["metadata_equal"];
    return equal.is_null() ? "-" : equal == true ? "equal" : "differs";
}

/// The columns compile, graph, metadata and reason of one compile of `retrace --json`.
[[nodiscard]] inline std::string verdictRow(const nlohmann::json& compile) {
    return idOf(compile) + '\t' + compile["verdict"].get<std::string>() + '\t' + metadataOf(compile) + '\t' +
           reasonOf(compile);
}

} // namespace aotscope::test
