#include "retrace_report.h"

#include "compile_answer.h"
#include "table.h"

#include "base/mapped.h"
#include "contract/retrace_options.h"
#include "explore/split_retraced.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace aotscope::cli {

std::string targetTitle(const TargetChoice& choice) {
    return choice.log->path.filename().string() + ":" + choice.target.name;
}

session::RetraceSnapshotPtr retraced(Program& program, const TargetChoice& choice,
                                     const session::RetraceOptions& options) {
    return program.resultOf<session::RetraceSnapshotPtr>(
        session::Retrace{choice.log->log, {choice.target}, options});
}

SplitFunction splitOrWhole(Program& program, const session::RetraceSnapshot& snapshot) {
    auto split = program.session.split(snapshot, program.progress());
    if (split) {
        return {std::move(split).value()};
    }
    if (base::isCanceled(split.error())) {
        throw interrupted();
    }
    return {session::functionOf(snapshot), std::move(split).error()};
}

std::string graphKind(const session::RetraceSnapshot& run) {
    if (run.target.logged) {
        const std::string& name = run.target.logged->artifact;
        const std::size_t slash = name.rfind('/');
        return name.substr(slash == std::string::npos ? 0 : slash + 1);
    }
    if (!run.result) {
        return {};
    }
    return run.result->function.path == aot::TracePath::Export ? "export"
           : run.result->function.joint                        ? "joint"
                                                               : "inference";
}

std::string titleWithKind(const std::string& title, const session::RetraceSnapshot& run) {
    const std::string kind = graphKind(run);
    return kind.empty() ? title : title + " " + kind;
}

void requireBackend(const session::RetraceSnapshot& snapshot) {
    if (snapshot.error &&
        (snapshot.error->code == "session.no_backend" || snapshot.error->code == "run.no_torch_module")) {
        throw Failure(ExitNo, *snapshot.error);
    }
}

Failure nothingToTrace() {
    return usageFailure("There is nothing to trace again: no Dynamo graph and no joint or inference graph.",
                        {"A log has one for each compile that Dynamo finished; see open."});
}

namespace {

std::string noSignature(const base::Error& error) {
    return "no signature: " + error.message;
}

std::vector<std::string> notesOf(const RetraceRun& run) {
    std::vector<std::string> notes = run.snapshot->notes;
    if (run.snapshot->result) {
        const std::vector<std::string>& traced = run.snapshot->result->notes;
        notes.insert(notes.end(), traced.begin(), traced.end());
    }
    if (run.signature && !run.signature->ok()) {
        notes.push_back(noSignature(run.signature->error()));
    }
    return notes;
}

/// ", metadata equal", ", metadata differs: output_info[0]…".
std::string metadataText(const session::RetraceSnapshot& run) {
    if (!run.loggedMetadata) {
        return {};
    }
    if (run.metadataDifferences.empty()) {
        return ", metadata equal";
    }
    const std::size_t more = run.metadataDifferences.size() - 1;
    return ", metadata differs: " + run.metadataDifferences.front() +
           (more == 0 ? "" : " (and " + std::to_string(more) + " more)");
}

std::string gradModeText(const session::RetraceSnapshot& run) {
    return run.isGradModeAssumed ? ", gradient mode assumed" : "";
}

/// Which rules applied, unless they are the log's own.
std::string otherRulesText(const session::RetraceSnapshot& run) {
    return run.rules && !run.rules->isOwn() ? ", " + run.rules->text() : "";
}

std::optional<std::size_t> nodesOf(const session::GraphSnapshotPtr& graph) {
    return graph ? std::optional(graph->graph->size()) : std::nullopt;
}

std::string firstLine(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

/// ", 3 added, 1 changed"
std::string changesText(const session::RetraceStage& stage) {
    std::string text;
    const auto add = [&](std::size_t count, const char* word) {
        text += count > 0 ? ", " + std::to_string(count) + " " + word : std::string();
    };
    add(stage.added, "added");
    add(stage.changed, "changed");
    add(stage.removed, "removed");
    return text.empty() ? ", as before" : text;
}

std::string percent(std::size_t part, std::size_t whole) {
    return roundedDownPercent(whole == 0 ? 1.0 : static_cast<double>(part) / static_cast<double>(whole));
}

} // namespace

const ir::ViewAndMutationMeta* loggedMetadata(const session::RetraceSnapshot& snapshot) {
    const auto& logged = snapshot.loggedMetadata ? snapshot.loggedMetadata : snapshot.untracedMetadata;
    return logged ? &*logged : nullptr;
}

std::map<std::string, std::string> otherFields(const session::RetraceSnapshot& snapshot) {
    std::map<std::string, std::string> fields;
    const ir::ViewAndMutationMeta* logged = loggedMetadata(snapshot);
    for (const ir::OtherField& field : logged ? logged->otherFields : std::vector<ir::OtherField>()) {
        fields[field.path] = field.text;
    }
    return fields;
}

std::string placeText(const ir::SourceLocation& source) {
    std::string text = source.file + ":" + std::to_string(source.line);
    if (!source.function.empty()) {
        text += " in " + source.function;
    }
    return source.code.empty() ? text : text + ": " + source.code;
}

std::string guardsText(const std::vector<aot::RetraceGuard>& guards) {
    std::string text;
    for (const aot::RetraceGuard& guard : guards) {
        text += "  guard " + guard.expression.text();
        if (guard.byUser) {
            text += "  given as a fact";
        } else if (!guard.node.empty()) {
            text += "  needed by " + guard.node;
        }
        text += guard.source ? "  " + placeText(*guard.source) + "\n" : "\n";
    }
    return text.empty() ? "  no guards\n" : text;
}

std::string signatureText(const RetraceRun& run) {
    if (!run.signature) {
        return {};
    }
    if (!run.signature->ok()) {
        return "  " + noSignature(run.signature->error()) + "\n";
    }
    std::istringstream lines(aot::signatureText(**run.signature));
    std::string text;
    for (std::string line; std::getline(lines, line);) {
        text += line.empty() ? "" : "  " + line + "\n";
    }
    return text;
}

std::string stagesText(const session::RetraceSnapshot& snapshot) {
    std::string text;
    for (const session::RetraceStage& stage : snapshot.stages) {
        text += "  stage " + stage.name;
        if (!stage.graph) {
            text += ": not shown: " + firstLine(stage.note) + "\n";
            continue;
        }
        text += ": " + std::to_string(stage.graph->graph->size()) + " nodes";
        if (stage.graph != snapshot.program) {
            text += changesText(stage);
        }
        text += "\n";
    }
    return text;
}

std::string retraceText(const RetraceRun& run) {
    const session::RetraceSnapshot& snapshot = *run.snapshot;
    std::string text =
        titleWithKind(run.title, snapshot) + ": " + std::string(base::wordOf(snapshot.verdict.word));
    if (snapshot.error) {
        return text + ": " + firstLine(snapshot.error->message) + "\n";
    }
    const std::string facts =
        metadataText(snapshot) + gradModeText(snapshot) + otherRulesText(snapshot) + "\n";
    if (session::hasNothingToCompare(snapshot)) {
        return textOf(text, ": ", snapshot.verdict.reason, " (", snapshot.made->graph->size(),
                      " nodes traced)", facts);
    }
    if (!snapshot.difference || snapshot.verdict.word == base::VerdictWord::EqualUpToNames) {
        return textOf(text, " (", snapshot.logged->graph->size(), " nodes)", facts);
    }
    const ir::FirstDifference& difference = *snapshot.difference;
    const bool isUndecided = snapshot.verdict.word == base::VerdictWord::NotComparable;
    return textOf(text, " in ", difference.what, " at ", difference.position + 1, " of ",
                  snapshot.logged->graph->size(), facts, "    made   ",
                  difference.left.empty() ? "(nothing)" : difference.left, "\n    logged ",
                  difference.right.empty() ? "(nothing)" : difference.right, "\n",
                  isUndecided ? textOf("    reason ", snapshot.verdict.reason, "\n") : "",
                  linesOf(snapshot.notes, "    note   "));
}

std::string explainedText(const RetraceRun& run) {
    base::Verdict verdict = run.snapshot->verdict;
    if (run.snapshot->loggedMetadata) {
        verdict.compared.emplace_back("the metadata (ViewAndMutationMeta): every field that both sides have");
        for (const std::string& field : run.snapshot->metadataNotCompared) {
            verdict.notCompared.push_back("metadata: " + field);
        }
    } else if (run.snapshot->made) {
        verdict.notCompared.emplace_back("the metadata: none is logged");
    }
    return explanationOf(verdict, {});
}

std::string cacheText(const session::RetraceSnapshot& snapshot) {
    return snapshot.cache ? cacheText(*snapshot.cache) : std::string();
}

std::string cacheText(const aot::CacheOutcome& outcome, const std::string& name) {
    std::string text = "  " + name + " " + std::string(outcome.stateName()) + ": " + outcome.reason;
    if (outcome.state == aot::CacheState::Hit) {
        text += ", instead of a trace of " + durationText(outcome.savedNanoseconds);
    }
    if (!outcome.notStored.empty()) {
        text += "; not stored: " + outcome.notStored;
    }
    return text + (outcome.key.empty() ? "" : " (key " + outcome.key + ")") + "\n";
}

namespace {

RetracedCompile retracedCompile(const RetraceRun& run) {
    const session::RetraceSnapshot& snapshot = *run.snapshot;
    RetracedCompile answer{.graph = run.title,
                           .name = snapshot.target.name,
                           .kind = graphKind(snapshot),
                           .verdict = snapshot.verdict,
                           .program = snapshot.target.program ? snapshot.target.program->artifact : "",
                           .rules = snapshot.rules,
                           .decompositions = snapshot.decompositions,
                           .nodes = nodesOf(snapshot.made),
                           .loggedNodes = nodesOf(snapshot.logged),
                           .difference = snapshot.difference,
                           .metadataDifferences = snapshot.metadataDifferences,
                           .metadataNotCompared = snapshot.metadataNotCompared,
                           .loggedOtherFields = otherFields(snapshot),
                           .gradModeAssumed = snapshot.isGradModeAssumed,
                           .sharedInputs = snapshot.sharedInputs,
                           .cache = snapshot.cache,
                           .numbers = numberAnswers(run.numbers),
                           .notes = notesOf(run),
                           .error = snapshot.error};
    if (snapshot.logged) {
        answer.agreeingNodes = snapshot.agreeingNodes;
    }
    if (snapshot.loggedMetadata) {
        answer.metadataEqual = snapshot.metadataDifferences.empty();
    }
    if (const auto& result = snapshot.result) {
        answer.reason = result->function.reason;
        answer.guards = result->function.guards;
        answer.wrappers = wrapperAnswers(result->function.wrappers, snapshot.wrapperSources);
        answer.nanoseconds = result->nanoseconds;
    }
    for (const session::RetraceStage& stage : snapshot.stages) {
        answer.stages.push_back({stage.name, stage.changes(), stage.added, stage.changed, stage.removed,
                                 nodesOf(stage.graph), stage.note});
    }
    if (run.signature && run.signature->ok()) {
        answer.signature = Json::parse(aot::signatureToJson(**run.signature));
    }
    return answer;
}

} // namespace

RetraceTotals totalsOf(const std::vector<RetraceRun>& runs) {
    RetraceTotals totals;
    for (const RetraceRun& run : runs) {
        const session::RetraceSnapshot& snapshot = *run.snapshot;
        totals.metadata += snapshot.loggedMetadata ? 1 : 0;
        totals.metadataEqual += snapshot.loggedMetadata && snapshot.metadataDifferences.empty() ? 1 : 0;
        totals.gradModeAssumed += snapshot.made && snapshot.isGradModeAssumed ? 1 : 0;
        totals.notTraced += snapshot.error ? 1 : 0;
        if (!snapshot.target.logged) {
            continue;
        }
        ++totals.graphs;
        totals.equal += snapshot.verdict.word == base::VerdictWord::Equal ? 1 : 0;
        totals.equalUpToNames += snapshot.verdict.word == base::VerdictWord::EqualUpToNames ? 1 : 0;
        totals.different += snapshot.verdict.word == base::VerdictWord::Differs ? 1 : 0;
        if (snapshot.logged) {
            totals.nodes += snapshot.logged->graph->size();
            totals.equalNodes +=
                snapshot.verdict.isEqual() ? snapshot.logged->graph->size() : snapshot.agreeingNodes;
        }
    }
    return totals;
}

RetraceAnswer retraceAnswer(const std::vector<RetraceRun>& runs, const std::optional<base::Error>& error) {
    return {totalsOf(runs), base::mapped(runs, retracedCompile), error};
}

std::string retraceTotals(const std::vector<RetraceRun>& runs) {
    const RetraceTotals totals = totalsOf(runs);
    const std::size_t good = totals.equal + totals.equalUpToNames;
    if (totals.graphs == 0) {
        // A percentage of zero graphs would look like success.
        return "No graph to compare with; " + std::to_string(totals.notTraced) + " not traced.";
    }
    std::string text = std::to_string(good) + " of " + std::to_string(totals.graphs) + " graphs equal (" +
                       percent(good, totals.graphs) + ")";
    if (totals.equalUpToNames > 0) {
        text += ", " + std::to_string(totals.equalUpToNames) + " of them up to names";
    }
    text += textOf("; ", totals.equalNodes, " of ", totals.nodes, " nodes (",
                   percent(totals.equalNodes, totals.nodes), "); ", totals.different, " differ, ",
                   totals.notTraced, " not traced; metadata equal in ", totals.metadataEqual, " of ",
                   totals.metadata, ".");
    if (totals.gradModeAssumed > 0) {
        text += " Gradient mode is assumed in " + std::to_string(totals.gradModeAssumed) + ".";
    }
    std::set<std::string> rules;
    for (const RetraceRun& run : runs) {
        if (run.snapshot->rules) {
            rules.insert(run.snapshot->rules->text());
        }
    }
    for (const std::string& each : rules) {
        text += (each == *rules.begin() ? " By the " : ", ") + each;
    }
    return rules.empty() ? text : text + ".";
}

bool allEqual(const std::vector<RetraceRun>& runs) {
    return std::ranges::all_of(runs, [](const RetraceRun& run) {
        const bool isGood = run.snapshot->verdict.isEqual() || session::hasNothingToCompare(*run.snapshot);
        return isGood && run.snapshot->metadataDifferences.empty() && numbersAgree(run.numbers);
    });
}

} // namespace aotscope::cli
