#pragma once

#include "support/child.h"
#include "support/corpus.h"
#include "support/temp_folder.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace aotscope::test {

/// Runs the built aotscope-cli. Reproducers go to a folder of the test program, not the user's.
[[nodiscard]] inline Ran cli(std::vector<std::string> arguments,
                             const std::function<void(pid_t, const Ran&)>& onOutput = {},
                             const std::string& input = "/dev/null") {
    static const TempFolder state;
    arguments.insert(arguments.begin(), std::string(AOTSCOPE_BINARY_DIR) + "/bin/aotscope-cli");
    return runChild(std::move(arguments), {"XDG_STATE_HOME=" + state.path().string()}, onOutput, input);
}

/// The same with `text` on stdin.
[[nodiscard]] inline Ran cliReading(const std::string& text, std::vector<std::string> arguments) {
    const TempFolder folder;
    return cli(std::move(arguments), {}, folder.write("stdin", text).string());
}

[[nodiscard]] inline nlohmann::json json(const Ran& ran) {
    return nlohmann::json::parse(ran.out, nullptr, false);
}

/// How often a text has a part.
[[nodiscard]] inline std::size_t countOf(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++count;
    }
    return count;
}

[[nodiscard]] inline std::string corpusLog(const std::string& name) {
    return corpusTrace(name).string();
}

/// Every uncompressed trace log of the corpus.
[[nodiscard]] inline std::vector<std::filesystem::path> corpusLogs() {
    std::vector<std::filesystem::path> logs;
    for (const char* folder : {"traces", "traces-2.11", "traces-2.15", "tlparse-logs"}) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(corpusDir() / folder)) {
            if (entry.path().extension() == ".log" && entry.is_regular_file()) {
                logs.push_back(entry.path());
            }
        }
    }
    std::sort(logs.begin(), logs.end());
    return logs;
}

/// The golden files of a folder, in the order of their names.
[[nodiscard]] inline std::vector<std::string> goldenFiles(const std::filesystem::path& folder) {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (name.ends_with(".json") || name.ends_with(".json.xz")) {
            files.push_back(entry.path().string());
        }
    }
    std::ranges::sort(files);
    return files;
}

/// The answer of a command about these files.
[[nodiscard]] inline nlohmann::json jsonAbout(const std::vector<std::string>& files,
                                              std::vector<std::string> command) {
    command.insert(command.end(), files.begin(), files.end());
    return json(cli(std::move(command)));
}

/// The files in a folder and below it, by path from there; none if the folder does not exist.
[[nodiscard]] inline std::map<std::string, std::string> filesBelow(const std::filesystem::path& folder) {
    std::map<std::string, std::string> files;
    if (std::filesystem::exists(folder)) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
            if (entry.is_regular_file()) {
                files[std::filesystem::relative(entry.path(), folder).string()] = readFile(entry.path());
            }
        }
    }
    return files;
}

[[nodiscard]] inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

} // namespace aotscope::test
