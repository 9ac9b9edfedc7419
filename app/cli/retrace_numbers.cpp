#include "retrace_numbers.h"

#include "compile_answer.h"

#include "base/formatted.h"
#include "base/mapped.h"
#include "ir/text/descriptor_text.h"
#include "runs/recorded_run.h"

#include <algorithm>

namespace aotscope::cli {

namespace {

/// The traced graph that a recorded call belongs to, or why there is none.
struct CalledGraph {
    std::optional<session::ArtifactReference> graph = {};
    std::string missing = {};
};

CalledGraph graphOf(Program& program, const session::RetraceSnapshot& snapshot,
                    const judge::RecordedCall& call) {
    const bool inference = !snapshot.result->function.joint;
    if (inference != (call.half == "inf")) {
        return {.missing = "another kind of graph was traced"};
    }
    if (inference) {
        return {.graph = snapshot.made->reference};
    }
    session::PartitionChoices choices;
    choices.partitioner =
        base::fromWord<passes::Partitioner>(call.partitioner).value_or(passes::Partitioner::MinCut);
    const auto split = program.resultOf<session::PartitionSnapshotPtr>(
        session::PartitionJoint{snapshot.made->reference, choices});
    if (call.hooked && split->function.partition->hooks.empty()) {
        return {.missing = "the program's saved-tensors hooks were not inlined here"};
    }
    return {.graph = call.half == "fw" ? split->forward : split->backward};
}

NumberRun runCall(Program& program, const session::RetraceSnapshot& snapshot, const judge::RecordedCall& call,
                  session::DeviceChoice device) {
    NumberRun run;
    run.call = call.partitioner + " " + call.half;
    const auto found = graphOf(program, snapshot, call);
    if (!found.graph) {
        run.skipped = found.missing;
        return run;
    }
    const auto graph = program.resultOf<session::GraphSnapshotPtr>(session::LoadGraph{*found.graph});
    auto options = session::optionsFor(*graph->graph, call);
    if (!options) {
        run.skipped = options.error().message;
        return run;
    }
    options->device = device;
    session::RunOptions again = *options;
    const auto ran = program.resultOf<session::RunSnapshotPtr>(
        session::RunGraph{*found.graph, std::move(options).value()});
    const auto note = std::ranges::find_if(ran->nodes, [](const auto& node) { return !node.note.empty(); });
    const auto constant = std::ranges::find_if(graph->graph->order(), [&](ir::NodeId id) {
        const ir::Node& node = graph->graph->node(id);
        return node.op == ir::Opcode::GetAttr && ir::asTensor(node.value) != nullptr;
    });
    if (ran->error) {
        run.skipped = ran->error->message;
    } else if (note != ran->nodes.end()) {
        // Stand-in values: their numbers mean nothing.
        run.skipped = note->note;
    } else if (constant != graph->graph->order().end()) {
        run.skipped = "it reads the constant " + graph->graph->node(*constant).target +
                      ", whose data the file does not hold";
    } else {
        const auto output = graph->graph->output();
        if (output) {
            for (const ir::Descriptor& descriptor : graph->graph->node(*output).descriptors) {
                run.names.push_back(ir::descriptorText(descriptor));
            }
        }
        run.comparison = session::compareNumbers(*graph->graph, ran->outputs, call.outputs);
        const auto runAgain = [&](std::uint64_t noise) -> std::optional<std::vector<aot::TensorData>> {
            again.roundingNoise = noise;
            const auto noisy =
                program.resultOf<session::RunSnapshotPtr>(session::RunGraph{*found.graph, again});
            return noisy->error ? std::nullopt : std::optional(noisy->outputs);
        };
        session::allowOtherRoundings(run.comparison, ran->outputs, runAgain);
    }
    return run;
}

constexpr const char* eagerCall = "eager";

std::string shortNumber(double number) {
    return base::formatted("%.1e", number);
}

/// The number of calls that agree with PyTorch or with eager, in one line.
std::string agreementText(const std::vector<NumberRun>& runs, bool eager) {
    std::size_t calls = 0;
    std::size_t tensors = 0;
    std::size_t notNumbers = 0;
    double worst = 0;
    for (const NumberRun& run : runs) {
        if ((run.call == eagerCall) == eager && run.skipped.empty() && run.comparison.agrees()) {
            ++calls;
            tensors += run.comparison.tensors.size();
            notNumbers += run.comparison.notNumbers();
            worst = std::max(worst, run.comparison.worst());
        }
    }
    return calls == 0
               ? std::string()
               : "    numbers: " + (eager ? "" : std::to_string(calls) + " calls, ") +
                     std::to_string(tensors) + " tensors differ by at most " + shortNumber(worst) +
                     " of their largest magnitude from " + (eager ? "eager's" : "PyTorch's") +
                     (notNumbers == 0 ? std::string()
                                      : "; " + std::to_string(notNumbers) + " numbers are NaN in both") +
                     "\n";
}

std::string nameAt(const NumberRun& run, std::size_t position) {
    return position < run.names.size() ? run.names[position] : "output " + std::to_string(position);
}

/// The first tensor beyond its allowed distance, and how many more there are.
std::string apartText(const NumberRun& run) {
    const std::vector<session::TensorComparison> apart = run.comparison.apart();
    const session::TensorComparison& first = apart.front();
    std::string text = nameAt(run, first.position) + ", by " + shortNumber(first.distance) +
                       " of its largest magnitude " + shortNumber(first.largest) + ", where " +
                       shortNumber(first.allowed) + " is allowed";
    return apart.size() == 1 ? text : text + "; and " + std::to_string(apart.size() - 1) + " more";
}

std::string disagreementText(const std::vector<NumberRun>& runs, bool explain) {
    std::string text;
    for (const NumberRun& run : runs) {
        const base::Verdict verdict = verdictOf(run);
        if (!run.skipped.empty()) {
            text += "    numbers of " + run.call + ": not compared: " + run.skipped + "\n";
        } else if (!verdict.isEqual()) {
            text += "    numbers of " + run.call + ": " + base::verdictText(verdict) + "\n";
        }
        if (explain) {
            text += verdictLines(verdict, true, "      ");
        }
    }
    return text;
}

} // namespace

std::vector<NumberRun> runRecordedCalls(Program& program, const std::filesystem::path& golden,
                                        const session::RetraceSnapshot& snapshot,
                                        session::DeviceChoice device) {
    const std::string artifact = snapshot.target.logged ? snapshot.target.logged->artifact : std::string();
    if (!snapshot.made || !artifact.starts_with("units/")) {
        return {};
    }
    const auto calls =
        orFail(ExitUnreadable, judge::readRecordedCalls(golden, artifact.substr(0, artifact.rfind('/'))));
    return base::mapped(
        calls, [&](const judge::RecordedCall& call) { return runCall(program, snapshot, call, device); });
}

std::vector<NumberRun> runBesideEager(const session::RetraceSnapshot& snapshot) {
    if (!snapshot.eager) {
        return {};
    }
    return {{eagerCall, snapshot.eager->numbers, snapshot.eager->names, snapshot.eager->skipped,
             snapshot.eager->caution}};
}

base::Verdict verdictOf(const NumberRun& run) {
    base::Verdict verdict;
    verdict.configuration = {run.call == eagerCall
                                 ? "beside Dynamo's graph in eager mode, on synthetic inputs"
                                 : "PyTorch's recorded inputs and results, of another machine"};
    if (!run.skipped.empty()) {
        verdict.reason = run.skipped;
        return verdict;
    }
    for (const std::size_t position : run.comparison.missing) {
        verdict.notCompared.push_back(nameAt(run, position) + ": there is nothing to compare it with");
    }
    for (const session::TensorComparison& tensor : run.comparison.tensors) {
        const std::string name = nameAt(run, tensor.position);
        (tensor.undecided ? verdict.notCompared : verdict.compared)
            .push_back(name + ": " + shortNumber(tensor.distance) + " apart");
        verdict.tolerances.push_back(name + ": " + shortNumber(tensor.allowed) +
                                     ", what other roundings make of it");
    }
    if (run.comparison.sameCount && run.comparison.tensors.empty()) {
        verdict.reason = "there is nothing to compare its values with";
        return verdict;
    }
    verdict.word = base::VerdictWord::Equal;
    if (!run.comparison.sameCount) {
        verdict.word = base::VerdictWord::Differs;
        verdict.reason = "another number of outputs";
    } else if (!run.comparison.agrees()) {
        verdict.word = run.caution.empty() ? base::VerdictWord::Differs : base::VerdictWord::NotComparable;
        verdict.reason = (run.caution.empty() ? "" : "random: " + run.caution + ": ") + apartText(run);
    } else if (const auto undecided = run.comparison.undecided(); !undecided.empty()) {
        verdict.word = base::VerdictWord::NotComparable;
        verdict.reason = "other roundings change " + nameAt(run, undecided.front().position) +
                         " as much, so that its numbers decide nothing";
    }
    return verdict;
}

std::string numbersText(const std::vector<NumberRun>& runs, bool explain) {
    return agreementText(runs, false) + agreementText(runs, true) + disagreementText(runs, explain);
}

std::vector<NumberAnswer> numberAnswers(const std::vector<NumberRun>& runs) {
    std::vector<NumberAnswer> answers;
    for (const NumberRun& run : runs) {
        NumberAnswer& answer =
            answers.emplace_back(NumberAnswer{run.call, verdictOf(run), run.skipped, run.caution});
        if (!run.skipped.empty()) {
            continue;
        }
        answer.agrees = run.comparison.agrees();
        answer.tensors = run.comparison.tensors.size();
        answer.worst = run.comparison.worst();
        answer.nan = run.comparison.notNumbers();
        for (const session::TensorComparison& tensor : run.comparison.apart()) {
            answer.apart.push_back(
                {tensor, tensor.position < run.names.size() ? run.names[tensor.position] : ""});
        }
    }
    return answers;
}

bool numbersAgree(const std::vector<NumberRun>& runs) {
    return std::ranges::none_of(
        runs, [](const NumberRun& run) { return verdictOf(run).word == base::VerdictWord::Differs; });
}

} // namespace aotscope::cli
