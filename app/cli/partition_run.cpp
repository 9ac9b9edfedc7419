#include "partition_run.h"

#include "contract/retrace_options.h"
#include "files/logged_partitions.h"
#include "files/retrace_targets.h"
#include "judge/halves_verdict.h"

#include <algorithm>

namespace aotscope::cli {

namespace {

/// The partitioner that a golden file names for a pair of halves.
std::optional<passes::Partitioner> namedPartitioner(const PartitionJob& job) {
    return job.logged ? base::fromWord<passes::Partitioner>(job.logged->partitioner) : std::nullopt;
}

/// Whether the file says that these halves come from another partitioner than the requested one.
bool answersToOther(const session::LoggedPartition& logged, const std::string& partitioner) {
    const std::string asked = partitioner == "min-cut" ? "min_cut" : partitioner;
    return asked != "auto" && !logged.partitioner.empty() && logged.partitioner != asked;
}

base::Error noProgram() {
    return {.code = "cli.no_program",
            .message = "There is no Dynamo graph for this joint graph, so it cannot be traced.",
            .hint = "Use --input logged."};
}

base::Error notTraced(const session::RetraceSnapshot& traced) {
    return traced.error.value_or(
        base::Error{.code = "cli.no_joint",
                    .message = "The trace gave an inference graph: " + traced.result->function.reason});
}

/// The inputs of a partition's backward. Their strides are those of the log's compiled backward, if it has
/// one that takes the same inputs.
std::vector<passes::BackwardInput> backwardInputsOf(Program& program, const session::ArtifactReference& joint,
                                                    const passes::Partition& partition) {
    const session::LogSnapshotPtr log = program.session.tryLog(joint.log);
    for (const session::ArtifactReference& reference :
         log ? session::compiledGraphs(*log, joint) : std::vector<session::ArtifactReference>()) {
        const auto graph = program.session.graph(reference, program.progress());
        if (graph && (*graph)->graph && passes::takesSameInputs(*partition.backward, *(*graph)->graph)) {
            return passes::backwardInputs(partition, (*graph)->graph.get());
        }
    }
    return passes::backwardInputs(partition);
}

} // namespace

bool isEqual(const PartitionRun& run) {
    return run.halves &&
           (*run.halves == base::VerdictWord::Equal || *run.halves == base::VerdictWord::EqualUpToNames) &&
           run.metadataEqual.value_or(true);
}

bool isDifferent(const PartitionRun& run) {
    return run.halves && (*run.halves == base::VerdictWord::Differs || run.metadataEqual == false);
}

bool isEqualUnderDefault(const PartitionRun& run) {
    return run.halves == base::VerdictWord::EqualUnderDefault;
}

bool isUndecided(const PartitionRun& run) {
    return run.halves && !isEqual(run) && !isDifferent(run) && !isEqualUnderDefault(run);
}

bool areGraphsCompared(const PartitionRun& run) {
    return run.graphsVerdict && run.graphsVerdict->word != base::VerdictWord::NotComparable;
}

session::RetraceSnapshotPtr Partitioner::trace(const session::RetraceTarget& target) {
    session::RetraceOptions options;
    options.torch = m_request.choices.torch;
    options.config = m_request.choices.config;
    auto [known, isNew] = m_traced.try_emplace(*target.program);
    if (isNew) {
        known->second = m_program.resultOf<session::RetraceSnapshotPtr>(
            session::Retrace{target.program->log, {target}, options});
    }
    return known->second;
}

/// The joint graph to partition. Nothing if there is none: then the run's error says why, or it has no error
/// and the job is skipped.
std::optional<session::ArtifactReference> Partitioner::chooseInput(const PartitionJob& job,
                                                                   PartitionRun& run) {
    auto logged = job.logged ? std::optional(job.logged->joint) : std::nullopt;
    if (m_request.input == JointInput::Logged) {
        return logged;
    }
    const bool canTrace = job.target && job.target->program;
    const session::RetraceSnapshotPtr traced = canTrace ? trace(*job.target) : nullptr;
    const bool isJoint = traced && traced->made && traced->result->function.joint;
    // If the traced graph is not exactly PyTorch's, the logged one is what was compiled.
    const bool isPyTorchs = isJoint && (traced->verdict.word == base::VerdictWord::Equal ||
                                        session::hasNothingToCompare(*traced));
    if (isPyTorchs || (isJoint && (m_request.input == JointInput::Traced || !logged))) {
        run.traced = true;
        return traced->made->reference;
    }
    if (isJoint) {
        run.notes.push_back("The logged joint graph is used because the traced one is not equal to it (" +
                            std::string(base::wordOf(traced->verdict.word)) +
                            "); --input traced uses the traced one.");
        return logged;
    }
    if (m_request.input == JointInput::Traced) {
        if (logged || (traced && !traced->made)) {
            run.error = traced ? notTraced(*traced) : noProgram();
        }
        return std::nullopt;
    }
    if (traced && logged) {
        run.notes.push_back("The logged joint graph is used because it cannot be traced: " +
                            notTraced(*traced).message);
    }
    return logged;
}

std::optional<PartitionRun> Partitioner::run(const PartitionJob& job) {
    PartitionRun run;
    const session::ArtifactReference& source = job.logged ? job.logged->joint : *job.target->program;
    run.graph = titleOf(m_program, source);
    run.log = m_program.session.tryLog(source.log);
    const std::string own = run.log->traceLog() ? session::idText(source) : source.artifact;
    run.compile = job.target ? job.target->name : own;
    const auto joint = chooseInput(job, run);
    if (!joint) {
        return run.error ? std::optional(std::move(run)) : std::nullopt;
    }
    session::PartitionJoint command{*joint, m_request.choices};
    if (!command.choices.partitioner) {
        command.choices.partitioner = namedPartitioner(job);
    }
    auto [split, failed] = m_program.attempt<session::PartitionSnapshotPtr>(command);
    if (failed) {
        run.error = std::move(failed);
        return run;
    }
    run.split = std::move(split);
    run.notes.insert(run.notes.end(), run.split->notes.begin(), run.split->notes.end());
    if (!run.split->rules.isOwn()) {
        run.notes.push_back("Made by the " + run.split->rules.text() + ".");
    }
    run.backwardInputs = backwardInputsOf(m_program, source, *run.split->function.partition);
    if (m_request.compare && run.split->differences) {
        run.differences = *run.split->differences;
        run.savedVerdict = run.split->savedVerdict;
        run.graphsVerdict = run.split->graphsVerdict;
        for (base::Verdict* verdict : {&*run.savedVerdict, &*run.graphsVerdict}) {
            verdict->configuration.push_back("joint graph: " + jointInputText(run));
        }
        run.halves = judge::halvesWord(*run.savedVerdict, *run.graphsVerdict, run.split->isJointRewritten);
        if (run.split->metadataDifferences) {
            run.metadataEqual = run.split->metadataDifferences->empty();
            run.metadataDifferences = *run.split->metadataDifferences;
        }
        if (!isEqualUnderDefault(run) && (areGraphsCompared(run) || !run.savedVerdict->isEqual())) {
            run.equal = run.savedVerdict->isEqual() && run.graphsVerdict->isEqual();
        }
    }
    return run;
}

std::vector<PartitionJob> partitionJobs(const CompileChoice& choice, const PartitionRequest& request) {
    const auto targets = choice.log->traceLog() ? session::retraceTargets(*choice.log, choice.compile)
                                                : session::retraceTargets(*choice.log);
    std::vector<PartitionJob> jobs;
    for (session::LoggedPartition& logged :
         session::loggedPartitions(*choice.log, choice.compile, choice.id)) {
        if (answersToOther(logged, request.partitioner)) {
            continue;
        }
        const auto target =
            std::ranges::find(targets, std::optional(logged.joint), &session::RetraceTarget::logged);
        jobs.push_back({std::move(logged), target == targets.end() ? std::nullopt : std::optional(*target)});
    }
    for (const session::RetraceTarget& target : targets) {
        if (choice.log->traceLog() && request.input != JointInput::Logged && target.program &&
            !target.logged) {
            jobs.push_back({std::nullopt, target});
        }
    }
    return jobs;
}

void partitionEach(Program& program, const std::vector<CompileChoice>& choices,
                   const PartitionRequest& request, const std::function<void(PartitionRun)>& take) {
    Partitioner partitioner(program, request);
    for (const CompileChoice& choice : choices) {
        for (const PartitionJob& job : partitionJobs(choice, request)) {
            if (auto run = partitioner.run(job)) {
                take(*std::move(run));
            }
        }
    }
}

void writePartitions(Program& program, const std::filesystem::path& out,
                     const std::vector<PartitionRun>& runs,
                     const std::function<std::vector<session::NamedText>(const PartitionRun&)>& filesOf) {
    session::CompileFolders folders(
        std::ranges::any_of(runs, [&](const PartitionRun& run) { return run.log != runs.front().log; }));
    for (const PartitionRun& run : runs) {
        program.write(out / folders.next(run.log->path, run.compile), filesOf(run));
    }
}

Failure nothingToCompare() {
    return {ExitNo, base::Error{.code = "cli.nothing_to_compare",
                                .message = "There is no forward or backward graph to compare with.",
                                .hint = "Leave --compare out."}};
}

std::optional<session::ArtifactReference> lastJoint(const CompileChoice& choice) {
    const auto found = session::loggedPartitions(*choice.log, choice.compile, choice.id);
    return found.empty() ? std::nullopt : std::optional(found.back().joint);
}

} // namespace aotscope::cli
