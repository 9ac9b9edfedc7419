#include "retrace_numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace aotscope::cli {

namespace {

/// The graph a call is of; nothing: it was not traced (an inference graph where the call is of a half).
std::optional<session::ArtifactReference> graphOf(Program& program, const session::RetraceSnapshot& snapshot,
                                                  const session::RecordedCall& call) {
    const bool inference = !snapshot.result->joint;
    if (call.half == "inf" || inference) {
        return call.half == "inf" && inference ? std::optional(snapshot.made->reference) : std::nullopt;
    }
    session::StepChoices choices;
    choices.partitioner =
        call.partitioner == "default" ? passes::Partitioner::Default : passes::Partitioner::MinCut;
    const auto step =
        program.resultOf<session::StepSnapshotPtr>(session::PartitionStep{snapshot.made->reference, choices});
    return call.half == "fw" ? step->forward : step->backward;
}

NumberRun runCall(Program& program, const session::RetraceSnapshot& snapshot,
                  const session::RecordedCall& call) {
    NumberRun run;
    run.call = call.partitioner + " " + call.half;
    const auto reference = graphOf(program, snapshot, call);
    if (!reference) {
        run.skipped = "another kind of graph was traced";
        return run;
    }
    if (call.hooked) {
        run.skipped = "it was recorded with saved-tensors hooks in the halves, which are not put in here yet";
        return run;
    }
    const auto graph = program.resultOf<session::GraphSnapshotPtr>(session::LoadGraph{*reference});
    auto options = session::optionsFor(*graph->graph, call);
    if (!options) {
        run.skipped = options.error().message;
        return run;
    }
    const auto ran =
        program.resultOf<session::RunSnapshotPtr>(session::RunGraph{*reference, std::move(options).value()});
    const auto note = std::ranges::find_if(ran->nodes, [](const auto& node) { return !node.note.empty(); });
    if (ran->error) {
        run.skipped = ran->error->message;
    } else if (note != ran->nodes.end()) {
        // Made up: the numbers say nothing.
        run.skipped = note->note;
    } else {
        run.comparison = session::compareNumbers(*graph->graph, ran->outputs, call);
    }
    return run;
}

std::string shortNumber(double number) {
    std::array<char, 32> text{};
    (void)std::snprintf(text.data(), text.size(), "%.1e", number);
    return text.data();
}

} // namespace

std::vector<NumberRun> runRecordedCalls(Program& program, const std::filesystem::path& golden,
                                        const session::RetraceSnapshot& snapshot) {
    const std::string artifact = snapshot.target.logged ? snapshot.target.logged->artifact : std::string();
    if (!snapshot.made || !artifact.starts_with("units/")) {
        return {};
    }
    const auto calls = session::readRecordedCalls(golden, artifact.substr(0, artifact.rfind('/')));
    if (!calls) {
        throw Failure(ExitUnreadable, calls.error());
    }
    std::vector<NumberRun> runs;
    for (const session::RecordedCall& call : *calls) {
        runs.push_back(runCall(program, snapshot, call));
    }
    return runs;
}

std::string numbersText(const std::vector<NumberRun>& runs) {
    std::size_t calls = 0;
    std::size_t tensors = 0;
    double worst = 0;
    std::string more;
    for (const NumberRun& run : runs) {
        if (!run.skipped.empty()) {
            more += "    numbers of " + run.call + ": not compared: " + run.skipped + "\n";
        } else if (!run.comparison.agrees()) {
            more += "    numbers of " + run.call + " differ: " +
                    (run.comparison.sameCount
                         ? "output " + std::to_string(run.comparison.apart.front()) + ", by " +
                               shortNumber(run.comparison.worst) + " of its largest magnitude"
                         : std::string("another number of outputs")) +
                    "\n";
        } else {
            ++calls;
            tensors += run.comparison.tensors;
            worst = std::max(worst, run.comparison.worst);
        }
    }
    if (calls > 0) {
        more = "    numbers: " + std::to_string(calls) + " calls, " + std::to_string(tensors) +
               " tensors at most " + shortNumber(worst) + " of their largest magnitude from PyTorch's\n" +
               more;
    }
    return more;
}

Json numbersJson(const std::vector<NumberRun>& runs) {
    Json list = Json::array();
    for (const NumberRun& run : runs) {
        Json row{{"call", run.call}};
        if (!run.skipped.empty()) {
            row["skipped"] = run.skipped;
        } else {
            row["agrees"] = run.comparison.agrees();
            row["tensors"] = run.comparison.tensors;
            // JSON has no infinity: shapes or NaNs that differ are no distance.
            row["worst"] = std::isfinite(run.comparison.worst) ? Json(run.comparison.worst) : Json(nullptr);
            row["allowed"] = run.comparison.allowed;
            row["apart"] = run.comparison.apart;
        }
        list.push_back(std::move(row));
    }
    return list;
}

bool numbersAgree(const std::vector<NumberRun>& runs) {
    return std::ranges::all_of(
        runs, [](const NumberRun& run) { return !run.skipped.empty() || run.comparison.agrees(); });
}

} // namespace aotscope::cli
