#include "retrace_report.h"

#include "retrace_choice.h"
#include "table.h"

#include "contract/retrace_options.h"

#include <sstream>

namespace aotscope::cli {

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

/// Fields of the logged metadata that are kept as text.
std::map<std::string, std::string> otherFields(const session::RetraceSnapshot& snapshot) {
    std::map<std::string, std::string> fields;
    const auto& logged = snapshot.loggedMetadata ? snapshot.loggedMetadata : snapshot.untracedMetadata;
    for (const ir::OtherField& field : logged ? logged->otherFields : std::vector<ir::OtherField>()) {
        fields[field.path] = field.text;
    }
    return fields;
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

/// The notes on why the graphs may differ.
std::string notesText(const std::vector<std::string>& notes) {
    std::string text;
    for (const std::string& note : notes) {
        text += "    note   " + note + "\n";
    }
    return text;
}

} // namespace

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
        text += "  guard " + guard.expression;
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
    std::string text = run.title;
    if (const std::string kind = graphKind(snapshot); !kind.empty()) {
        text += " " + kind;
    }
    text += ": " + std::string(base::wordOf(snapshot.verdict.word));
    if (snapshot.error) {
        return text + ": " + firstLine(snapshot.error->message) + "\n";
    }
    if (session::hasNothingToCompare(snapshot)) {
        return text + ": " + snapshot.verdict.reason + " (" + std::to_string(snapshot.made->graph->size()) +
               " nodes traced)" + metadataText(snapshot) + gradModeText(snapshot) + otherRulesText(snapshot) +
               "\n";
    }
    if (!snapshot.difference || snapshot.verdict.word == base::VerdictWord::EqualUpToNames) {
        return text + " (" + std::to_string(snapshot.logged->graph->size()) + " nodes)" +
               metadataText(snapshot) + gradModeText(snapshot) + otherRulesText(snapshot) + "\n";
    }
    const ir::FirstDifference& difference = *snapshot.difference;
    return text + " in " + difference.what + " at " + std::to_string(difference.position + 1) + " of " +
           std::to_string(snapshot.logged->graph->size()) + metadataText(snapshot) + gradModeText(snapshot) +
           otherRulesText(snapshot) + "\n    made   " +
           (difference.left.empty() ? "(nothing)" : difference.left) + "\n    logged " +
           (difference.right.empty() ? "(nothing)" : difference.right) + "\n" + notesText(snapshot.notes);
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
    const std::string text = base::explainedVerdict(verdict);
    return text.substr(text.find('\n') + 1);
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

RetracedCompile retracedCompile(const RetraceRun& run) {
    const session::RetraceSnapshot& snapshot = *run.snapshot;
    RetracedCompile answer{.graph = run.title,
                           .name = snapshot.target.name,
                           .kind = graphKind(snapshot),
                           .verdict = snapshot.verdict,
                           .program = snapshot.target.program ? snapshot.target.program->artifact : "",
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
    if (snapshot.rules) {
        answer.rules = rulesUsed(*snapshot.rules);
    }
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

} // namespace aotscope::cli
