#include "retrace_report.h"

#include "explain_option.h"
#include "retrace_choice.h"
#include "retrace_totals.h"
#include "table.h"
#include "torch_option.h"
#include "wrapper_report.h"

#include "contract/retrace_options.h"

#include <sstream>

namespace aotscope::cli {

namespace {

Json differenceJson(const ir::FirstDifference& difference) {
    return Json{{"position", difference.position},
                {"what", difference.what},
                {"made", difference.left},
                {"logged", difference.right}};
}

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

Json guardsJson(const std::vector<aot::RetraceGuard>& guards) {
    Json json = Json::array();
    for (const aot::RetraceGuard& guard : guards) {
        Json one{{"expression", guard.expression}, {"node", guard.node}, {"given", guard.byUser}};
        one["file"] = guard.source ? Json(guard.source->file) : Json(nullptr);
        one["line"] = guard.source ? Json(guard.source->line) : Json(nullptr);
        json.push_back(std::move(one));
    }
    return json;
}

Json sharedInputsJson(const std::vector<session::SharedMemory>& groups) {
    Json json = Json::array();
    for (const session::SharedMemory& group : groups) {
        Json inputs = Json::array();
        for (const session::SharedInput& input : group.inputs) {
            Json one{{"index", input.index}, {"name", input.name}};
            one["elements"] =
                input.elements ? Json{input.elements->first, input.elements->second} : Json(nullptr);
            one["same_as"] = input.sameAs ? Json(*input.sameAs) : Json(nullptr);
            inputs.push_back(std::move(one));
        }
        json.push_back(
            {{"inputs", std::move(inputs)}, {"base", group.base.empty() ? Json(nullptr) : Json(group.base)}});
    }
    return json;
}

Json stagesJson(const session::RetraceSnapshot& snapshot) {
    Json json = Json::array();
    for (const session::RetraceStage& stage : snapshot.stages) {
        Json one{{"stage", stage.name}, {"changes", stage.changes()}};
        one["added"] = stage.added;
        one["changed"] = stage.changed;
        one["removed"] = stage.removed;
        one["nodes"] = stage.graph ? Json(stage.graph->graph->size()) : Json(nullptr);
        one["note"] = stage.note;
        json.push_back(std::move(one));
    }
    return json;
}

/// Fields of the logged metadata that are kept as text.
Json otherFieldsJson(const session::RetraceSnapshot& snapshot) {
    Json json = Json::object();
    const auto& logged = snapshot.loggedMetadata ? snapshot.loggedMetadata : snapshot.untracedMetadata;
    if (logged) {
        for (const ir::OtherField& field : logged->otherFields) {
            json[field.path] = field.text;
        }
    }
    return json;
}

Json runJson(const RetraceRun& run) {
    const session::RetraceSnapshot& snapshot = *run.snapshot;
    Json json{{"graph", run.title}, {"name", snapshot.target.name}, {"kind", graphKind(snapshot)}};
    json["verdict"] = verdictJson(snapshot.verdict);
    json["program"] = snapshot.target.program ? Json(snapshot.target.program->artifact) : Json(nullptr);
    json["rules"] = snapshot.rules ? rulesJson(*snapshot.rules) : Json(nullptr);
    json["decompositions"] = base::wordOf(snapshot.decompositions);
    json["reason"] = snapshot.result ? Json(snapshot.result->reason) : Json(nullptr);
    json["nodes"] = snapshot.made ? Json(snapshot.made->graph->size()) : Json(nullptr);
    json["logged_nodes"] = snapshot.logged ? Json(snapshot.logged->graph->size()) : Json(nullptr);
    json["agreeing_nodes"] = snapshot.logged ? Json(snapshot.agreeingNodes) : Json(nullptr);
    json["difference"] = snapshot.difference ? differenceJson(*snapshot.difference) : Json(nullptr);
    json["metadata_equal"] =
        snapshot.loggedMetadata ? Json(snapshot.metadataDifferences.empty()) : Json(nullptr);
    json["metadata_differences"] = snapshot.metadataDifferences;
    json["metadata_not_compared"] = snapshot.metadataNotCompared;
    json["logged_other_fields"] = otherFieldsJson(snapshot);
    json["grad_mode_assumed"] = snapshot.isGradModeAssumed;
    json["guards"] = snapshot.result ? guardsJson(snapshot.result->guards) : Json(nullptr);
    json["wrappers"] = snapshot.result
                           ? answerJson(wrapperAnswers(snapshot.result->wrappers, snapshot.wrapperSources))
                           : Json(nullptr);
    json["shared_inputs"] = sharedInputsJson(snapshot.sharedInputs);
    json["cache"] = snapshot.cache ? cacheJson(*snapshot.cache) : Json(nullptr);
    json["stages"] = stagesJson(snapshot);
    json["signature"] = run.signature && run.signature->ok()
                            ? Json::parse(aot::signatureToJson(**run.signature))
                            : Json(nullptr);
    json["nanoseconds"] = snapshot.result ? Json(snapshot.result->nanoseconds) : Json(nullptr);
    json["notes"] = notesOf(run);
    json["error"] = snapshot.error ? errorJson(*snapshot.error) : Json(nullptr);
    return json;
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

Json cacheJson(const aot::CacheOutcome& outcome) {
    Json json{{"state", outcome.stateName()}, {"reason", outcome.reason}};
    json["key"] = outcome.key.empty() ? Json(nullptr) : Json(outcome.key);
    json["saved_nanoseconds"] =
        outcome.state == aot::CacheState::Hit ? Json(outcome.savedNanoseconds) : Json(nullptr);
    json["not_stored"] = outcome.notStored.empty() ? Json(nullptr) : Json(outcome.notStored);
    return json;
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

Json retraceJson(const std::vector<RetraceRun>& runs) {
    const RetraceTotals totals = totalsOf(runs);
    Json json{{"schema", "aotscope.retrace/3"}, {"graphs", totals.graphs}, {"equal", totals.equal}};
    json["equal_up_to_names"] = totals.upToNames;
    json["different"] = totals.different;
    json["not_traced"] = totals.notTraced;
    json["metadata"] = totals.metadata;
    json["metadata_equal"] = totals.metadataEqual;
    json["grad_mode_assumed"] = totals.gradModeAssumed;
    json["nodes"] = totals.nodes;
    json["equal_nodes"] = totals.equalNodes;
    json["compiles"] = Json::array();
    for (const RetraceRun& run : runs) {
        json["compiles"].push_back(runJson(run));
        if (!run.numbers.empty()) {
            json["compiles"].back()["numbers"] = numbersJson(run.numbers);
        }
    }
    return json;
}

} // namespace aotscope::cli
