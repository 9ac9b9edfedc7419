#pragma once

#include "load/md5.h"
#include "load/trace_log.h"

#include <doctest/doctest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>

/// Small logs in the format of torch/_logging/_internal.py.
namespace aotscope::test {

inline std::string header(std::string_view envelope) {
    return "V1121 00:13:53.025000 22725 torch/_functorch/_aot_autograd/graph_compile.py:1640] " +
           std::string(envelope) + "\n";
}

/// Adds a tab before each line of the payload.
inline std::string tabbed(std::string_view payload) {
    std::string out = "\t";
    for (const char c : payload) {
        out += c;
        if (c == '\n') {
            out += '\t';
        }
    }
    return out + "\n";
}

/// A record of compile 0/0, attempt 0; `event` is `"key": value`.
inline std::string record(std::string_view event) {
    return header("{" + std::string(event) + ", \"frame_id\": 0, \"frame_compile_id\": 0, \"attempt\": 0}");
}

inline std::string record(std::string_view event, std::string_view payload, std::string_view digest = {}) {
    return header("{" + std::string(event) +
                  ", \"frame_id\": 0, \"frame_compile_id\": 0, \"attempt\": 0, \"has_payload\": \"" +
                  (digest.empty() ? load::md5Of(payload) : std::string(digest)) + "\"}") +
           tabbed(payload);
}

/// Whether the payload is what its record's digest says.
inline load::PayloadState payloadState(const load::TraceLog& log, load::RecordId record) {
    base::Progress progress;
    return log.checkedPayload(record, progress).value().state;
}

/// A file that the destructor removes.
class TemporaryFile {
public:
    explicit TemporaryFile(std::string_view content, std::string_view name = "log.log") {
        static std::atomic<int> count = 0;
        m_folder = std::filesystem::temp_directory_path() /
                   ("aotscope-test-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
        std::filesystem::create_directory(m_folder);
        m_path = m_folder / name;
        write(content);
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile() {
        std::error_code ignored;
        std::filesystem::remove_all(m_folder, ignored);
    }

    void write(std::string_view content) const { std::ofstream(m_path, std::ios::binary) << content; }
    void append(std::string_view content) const {
        std::ofstream(m_path, std::ios::binary | std::ios::app) << content;
    }
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder; }

private:
    std::filesystem::path m_folder;
    std::filesystem::path m_path;
};

inline load::TraceLogPtr readLog(std::string_view content, const load::ReadOptions& options = {}) {
    const TemporaryFile file(content);
    auto log = load::TraceLog::read(file.path(), options);
    REQUIRE_MESSAGE(log.ok(), (log.ok() ? std::string() : log.error().text()));
    return *log;
}

inline load::TraceLogPtr readFileOk(const std::filesystem::path& path,
                                    const load::ReadOptions& options = {}) {
    auto log = load::TraceLog::read(path, options);
    REQUIRE_MESSAGE(log.ok(), (log.ok() ? std::string() : log.error().text()));
    return *log;
}

/// "line code" of every problem, one per line.
inline std::string problemList(const load::TraceLog& log) {
    std::string out;
    for (const load::LogProblem& problem : log.problems()) {
        out += std::to_string(problem.line) + " " + problem.code + "\n";
    }
    CHECK(log.totals().problems == log.problems().size());
    return out;
}

inline load::RecordId recordAt(std::size_t index) {
    return load::RecordId(static_cast<std::uint32_t>(index));
}

inline load::CompileIndex compileNamed(const load::TraceLog& log, std::string_view id) {
    const auto parsed = load::CompileId::parse(id);
    REQUIRE(parsed.has_value());
    const auto index = log.tryFindCompile(*parsed);
    REQUIRE(index.has_value());
    return *index;
}

} // namespace aotscope::test
