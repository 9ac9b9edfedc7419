#include "program.h"

#include "load/whole_file.h"

#include <algorithm>
#include <system_error>

namespace aotscope::cli {

Failure interrupted() {
    return {ExitInterrupted, base::canceledError()};
}

bool isChoiceError(const base::Error& error) {
    return error.code == "session.several_graphs" || error.code == "session.no_such_subgraph" ||
           error.code == "session.no_such_artifact" || error.code == "session.no_such_compile" ||
           error.code == "rerun.no_such_node" || error.code == "rerun.not_computed" ||
           error.code == "rerun.not_convex";
}

base::Progress Program::progress() {
    return {[this](const base::ProgressState& state) { console.showProgress(state); }, stop};
}

Program::Outcome Program::execute(const session::Command& command) {
    Outcome outcome;
    bool canceled = false;
    session.execute(
        command,
        [&](session::EventBody body) {
            if (const auto* progressed = std::get_if<session::Progressed>(&body)) {
                console.showProgress(progressed->state);
            } else if (std::holds_alternative<session::Canceled>(body)) {
                canceled = true;
            } else if (auto* failed = std::get_if<session::Failed>(&body)) {
                outcome.failed = std::move(failed->error);
            } else if (const auto* pause = std::get_if<session::TracePausePtr>(&body)) {
                console.clearProgress();
                paused(**pause);
            } else if (const auto* step = std::get_if<steps::StepPausePtr>(&body)) {
                console.clearProgress();
                stepPaused(*step);
            } else if (!std::holds_alternative<session::Started>(body) &&
                       !std::holds_alternative<session::Finished>(body)) {
                outcome.snapshots.push_back(std::move(body));
            }
        },
        stop);
    console.clearProgress();
    if (canceled) {
        throw interrupted();
    }
    return outcome;
}

session::GraphSnapshotPtr Program::graph(const session::ArtifactReference& reference) {
    auto graph = resultOf<session::GraphSnapshotPtr>(session::LoadGraph{reference});
    if (!graph->graph) {
        throw Failure(ExitNo, graph->error.value_or(base::Error{}));
    }
    return graph;
}

std::string Program::read(const std::filesystem::path& file, std::uint64_t mostBytes) {
    base::Progress reading = progress();
    return orFail(ExitUnreadable, load::readWhole(file, mostBytes, reading));
}

void Program::write(const std::filesystem::path& folder, const std::vector<session::NamedText>& files) {
    std::error_code failed;
    if (!files.empty()) {
        std::filesystem::create_directories(folder, failed);
    }
    for (const session::NamedText& file : files) {
        console.resultTo(folder / file.name, file.text);
    }
}

std::vector<session::LogSnapshotPtr> Program::open(const std::vector<std::filesystem::path>& paths,
                                                   bool verifyPayloads, std::optional<base::Error>* failed) {
    Outcome outcome = execute(session::OpenLogs{paths, verifyPayloads});
    if (failed == nullptr) {
        failWith(outcome.failed, ExitUnreadable);
    } else if (outcome.failed) {
        *failed = std::move(outcome.failed);
    }
    std::vector<session::LogSnapshotPtr> logs;
    for (const session::EventBody& body : outcome.snapshots) {
        const auto* log = std::get_if<session::LogSnapshotPtr>(&body);
        // A file that is named twice is opened once.
        if (log && (*log)->complete &&
            std::ranges::none_of(logs, [&](const auto& other) { return other->log == (*log)->log; })) {
            logs.push_back(*log);
        }
    }
    return logs;
}

} // namespace aotscope::cli
