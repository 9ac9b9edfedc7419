#pragma once

#include "log_text.h"

#include "load/trace_log.h"

#include <doctest/doctest.h>

#include <string>

/// Something malformed between two good records.
namespace aotscope::test {

inline const std::string joint = "\"aot_joint_graph\": {}";
inline const std::string forwardGraph = "\"aot_forward_graph\": {}";

/// The bad record between two good ones, which must both be read.
inline std::string around(const std::string& bad) {
    return record(joint, "joint\ngraph") + bad + record(forwardGraph, "forward\ngraph");
}

/// The line of the bad record.
constexpr std::size_t badLine = 4;

inline load::TraceLogPtr readAround(const std::string& bad, const load::ReadOptions& options = {}) {
    load::TraceLogPtr log = readLog(around(bad), options);
    const load::CompileIndex compile = compileNamed(*log, "0/0");
    const auto first = log->tryFindArtifact(compile, "joint");
    const auto last = log->tryFindArtifact(compile, "forward");
    REQUIRE(first.has_value());
    REQUIRE(last.has_value());
    CHECK(log->payload(first->record) == "joint\ngraph");
    CHECK(payloadState(*log, first->record) == load::PayloadState::Good);
    CHECK(log->payload(last->record) == "forward\ngraph");
    CHECK(payloadState(*log, last->record) == load::PayloadState::Good);
    return log;
}

} // namespace aotscope::test
