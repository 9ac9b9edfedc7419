#pragma once

#include "files/retrace_targets.h"
#include "recompile/retrace_request.h"
#include "session/session.h"

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <utility>

/// What benchmarks read from a log. They stop with exit code 3 where it cannot be read.
namespace aotscope::bench {

[[noreturn]] inline void stop(const base::Error& error) {
    std::cerr << error.text() << '\n';
    std::exit(3);
}

template<typename T>
T orStop(base::Result<T> result) {
    if (!result) {
        stop(result.error());
    }
    return std::move(result).value();
}

/// The largest Dynamo graph of a log, ready to be traced.
inline aot::RetraceRequest largestProgram(const std::filesystem::path& path) {
    session::Session session;
    session.execute(session::OpenLogs{{path}, false}, [](const session::EventBody& body) {
        if (const auto* failed = std::get_if<session::Failed>(&body)) {
            stop(failed->error);
        }
    });
    const session::LogSnapshotPtr log = session.logs().back();
    aot::RetraceRequest largest;
    evidence::EarlierCheckpoints checkpoints;
    for (const session::RetraceTarget& target : session::retraceTargets(*log)) {
        if (!target.program) {
            continue;
        }
        const session::GraphSnapshotPtr program = orStop(session.graph(*target.program));
        if (!program->graph) {
            stop(*program->error);
        }
        if (largest.program == nullptr || program->graph->size() > largest.program->size()) {
            largest =
                orStop(session::makeRetraceRequest(*log, *target.program, program->graph, {}, checkpoints))
                    .request;
        }
    }
    if (largest.program == nullptr) {
        std::cerr << path.string() << ": there is no Dynamo graph to trace.\n";
        std::exit(3);
    }
    return largest;
}

} // namespace aotscope::bench
