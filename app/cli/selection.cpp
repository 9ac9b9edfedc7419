#include "selection.h"

#include "failure.h"
#include "log_summary.h"

#include "base/mapped.h"
#include "base/numbers.h"
#include "base/text_search.h"
#include "files/log_names.h"
#include "files/retrace_targets.h"

#include <algorithm>

namespace aotscope::cli {

namespace {

/// 3 of "rank3".
std::optional<std::int32_t> rankOf(std::string_view text) {
    constexpr std::string_view prefix = "rank";
    if (!text.starts_with(prefix)) {
        return std::nullopt;
    }
    return base::wholeNumber<std::int32_t>(text.substr(prefix.size()));
}

/// Whether a name means this log: its rank, its path or the end of its path.
bool isCalled(const session::LogSnapshot& log, std::string_view name) {
    if (const auto rank = rankOf(name); rank && log.rank() == rank) {
        return true;
    }
    const std::string path = log.path.string();
    return path == name || log.path.filename() == name || path.ends_with("/" + std::string(name));
}

std::string fullId(const CompileChoice& choice, const std::string& logName) {
    const std::string id = choice.id.text();
    if (choice.otherRank) {
        return "rank" + std::to_string(*choice.otherRank) + ":" + id;
    }
    return logName.empty() ? id : logName + ":" + id;
}

/// "Compile 0/0"; a graph file has no compiles.
std::string subject(const CompileChoice& choice) {
    return choice.log->traceLog() ? "Compile " + choice.id.text() : "The file";
}

/// Graph files, whose units have names and no ids.
bool areUnits(const std::vector<session::LogSnapshotPtr>& logs) {
    return std::ranges::all_of(logs, [](const auto& log) { return log->traceLog() == nullptr; });
}

/// All compiles of all logs that have a graph.
std::vector<CompileChoice> compilesWithGraphs(const std::vector<session::LogSnapshotPtr>& logs) {
    std::vector<CompileChoice> all;
    for (const session::LogSnapshotPtr& log : logs) {
        for (CompileChoice& choice : compilesOf(log)) {
            if (!artifactNames(choice, true).empty()) {
                all.push_back(std::move(choice));
            }
        }
    }
    return all;
}

/// The kind of the graph if one is named, else of the only graph.
std::string selectKind(const CompileChoice& choice, const std::string& kind) {
    if (!kind.empty()) {
        return kind;
    }
    const std::vector<std::string> names = artifactNames(choice, true);
    if (names.size() == 1) {
        return names.front();
    }
    if (names.empty()) {
        throw usageFailure(subject(choice) + " has no graph.",
                           {"It has: " + listed(artifactNames(choice, false))});
    }
    throw usageFailure(subject(choice) + " has several graphs: choose one with --kind.",
                       {"Graphs: " + listed(names)});
}

} // namespace

std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t mostListed = 60;
    std::string text;
    for (std::size_t i = 0; i < names.size() && i < mostListed; ++i) {
        text += (i == 0 ? "" : ", ") + names[i];
    }
    if (names.size() > mostListed) {
        text += ", … (" + std::to_string(names.size()) + " in all)";
    }
    return names.empty() ? "none" : text;
}

std::vector<std::string> artifactNames(const CompileChoice& choice, bool onlyGraphs) {
    std::vector<std::string> names;
    for (const load::Artifact& artifact : choice.log->artifacts(choice.compile)) {
        if (artifact.isGraph || !onlyGraphs) {
            names.push_back(artifact.name);
        }
    }
    return names;
}

std::vector<CompileChoice> compilesOf(const session::LogSnapshotPtr& log) {
    if (!log->traceLog()) {
        return {{log, {}, {}, {}}};
    }
    std::vector<CompileChoice> choices;
    const std::size_t count = log->traceLog()->compiles().size();
    for (std::uint32_t index = 0; index < count; ++index) {
        const load::CompileIndex compile(index);
        const load::Compile& facts = log->traceLog()->compile(compile);
        CompileChoice choice{log, compile, facts.id, {}};
        if (facts.rank && log->traceLog()->rank() && facts.rank != log->traceLog()->rank()) {
            choice.otherRank = facts.rank;
        }
        choices.push_back(std::move(choice));
    }
    return choices;
}

std::vector<CompileChoice> selectCompiles(const std::vector<session::LogSnapshotPtr>& logs,
                                          const std::string& id) {
    return id.empty() ? compilesWithGraphs(logs) : std::vector{selectCompile(logs, id)};
}

std::vector<session::LogSnapshotPtr> logsOf(const std::vector<session::LogSnapshotPtr>& logs,
                                            const std::string& id) {
    return id.empty() || areUnits(logs) ? logs : std::vector{selectCompile(logs, id).log};
}

std::vector<TargetChoice> selectTargets(const std::vector<session::LogSnapshotPtr>& logs,
                                        const std::string& id) {
    std::vector<TargetChoice> choices;
    const auto add = [&](const session::LogSnapshotPtr& log, std::vector<session::RetraceTarget> targets) {
        for (session::RetraceTarget& target : targets) {
            choices.push_back({log, std::move(target)});
        }
    };
    if (!id.empty() && !areUnits(logs)) {
        const CompileChoice chosen = selectCompile(logs, id);
        add(chosen.log, session::retraceTargets(*chosen.log, chosen.compile));
        return choices;
    }
    for (const session::LogSnapshotPtr& log : logs) {
        add(log, session::retraceTargets(*log));
    }
    std::erase_if(choices,
                  [&](const TargetChoice& choice) { return !id.empty() && choice.target.name != id; });
    return choices;
}

CompileChoice selectCompile(const std::vector<session::LogSnapshotPtr>& logs, std::string_view id) {
    const std::vector<session::LogName> names = session::logNames(logs);
    const auto idsOf = [&](const std::vector<CompileChoice>& choices) {
        return base::mapped(choices, [&](const CompileChoice& choice) {
            const auto log = std::ranges::find(logs, choice.log);
            return fullId(choice, names[static_cast<std::size_t>(log - logs.begin())].text);
        });
    };
    if (id.empty()) {
        std::vector<CompileChoice> choices = compilesWithGraphs(logs);
        if (choices.size() == 1) {
            return choices.front();
        }
        if (choices.empty()) {
            throw usageFailure("There is no compile with a graph.");
        }
        throw usageFailure("There are several compiles with graphs: choose one with --id.",
                           {"Ids: " + listed(idsOf(choices))});
    }
    const std::size_t colon = id.rfind(':');
    const std::string_view logName =
        colon == std::string_view::npos ? std::string_view() : id.substr(0, colon);
    const std::string_view idText = colon == std::string_view::npos ? id : id.substr(colon + 1);
    const auto wanted = load::CompileId::parse(idText);
    if (!wanted) {
        throw usageFailure("\"" + std::string(id) +
                           "\" is not a compile id. Ids are written as PyTorch prints them: 0/0, 0/1_2, "
                           "!0/1/0, \"0/0 (2nd)\" for the second compile of an id, or - for records without "
                           "one; with several logs rank3:0/0 or FILE:0/0.");
    }
    std::vector<CompileChoice> all;
    std::vector<CompileChoice> ofOthers;
    std::vector<CompileChoice> found;
    for (const session::LogSnapshotPtr& log : logs) {
        for (CompileChoice& choice : compilesOf(log)) {
            const auto rank = rankOf(logName);
            const bool isOtherRank = choice.otherRank && rank == choice.otherRank;
            const bool isOwn = logName.empty() || (isCalled(*log, logName) && !(rank && choice.otherRank));
            if (!isOtherRank && !isOwn) {
                ofOthers.push_back(std::move(choice));
                continue;
            }
            if (choice.id == *wanted || choice.id.text() == wanted->text()) {
                found.push_back(choice);
            }
            all.push_back(std::move(choice));
        }
    }
    // Records without an attempt number have the same id text as attempt 0. The entry with artifacts is
    // meant.
    if (found.size() > 1) {
        std::erase_if(found,
                      [](const CompileChoice& choice) { return artifactNames(choice, false).empty(); });
    }
    // An id without a rank means the log's own rank.
    if (std::ranges::any_of(found, [](const CompileChoice& choice) { return !choice.otherRank; })) {
        std::erase_if(found, [](const CompileChoice& choice) { return choice.otherRank.has_value(); });
    }
    if (found.size() == 1) {
        return found.front();
    }
    if (found.empty()) {
        throw usageFailure("There is no compile " + std::string(id) + ".",
                           {"Ids: " + listed(idsOf(all.empty() ? ofOthers : all))});
    }
    throw usageFailure("Several logs have a compile " + std::string(id) +
                           ": choose one with its file or rank.",
                       {"Ids: " + listed(idsOf(found))});
}

session::ArtifactReference referenceTo(const CompileChoice& choice, std::string artifact) {
    if (choice.log->traceLog()) {
        return session::referenceTo(*choice.log, choice.log->traceLog()->compile(choice.compile),
                                    std::move(artifact));
    }
    return {choice.log->log, choice.id, std::move(artifact)};
}

session::ArtifactReference selectGraph(Program& program, const GraphRequest& request) {
    const std::vector<session::LogSnapshotPtr> logs = program.open(request.files);
    const CompileChoice choice = selectCompile(logs, request.id);
    session::ArtifactReference reference = referenceTo(choice, selectKind(choice, request.kind));
    for (std::string_view rest = request.section; !rest.empty();) {
        reference.subgraph.emplace_back(base::takePart(rest, '/'));
    }

    const std::vector<std::string> names = artifactNames(choice, false);
    const bool isFirst = reference.artifact.ends_with("#1");
    const std::string listedName =
        isFirst ? reference.artifact.substr(0, reference.artifact.size() - 2) : reference.artifact;
    if (std::ranges::find(names, listedName) == names.end()) {
        const std::vector<std::string> graphs = artifactNames(choice, true);
        std::vector<std::string> there = {"Graphs: " + listed(graphs)};
        if (names.size() > graphs.size()) {
            there.push_back("Everything: " + listed(names));
        }
        throw usageFailure(subject(choice) + " has no \"" + reference.artifact + "\".", std::move(there));
    }
    return reference;
}

GraphRequest parseGraphRequest(const std::string& text) {
    std::error_code failed;
    std::size_t end = text.size();
    while (end != std::string::npos && !std::filesystem::exists(text.substr(0, end), failed)) {
        end = end == 0 ? std::string::npos : text.rfind(':', end - 1);
    }
    if (end == std::string::npos || end == 0) {
        throw Failure(
            ExitUnreadable,
            {.code = "cli.no_such_file",
             .message = "There is no such file: " + text,
             .hint = "Write FILE, FILE:ID:KIND (model.log:0/0:joint) or the name of a graph file."});
    }
    GraphRequest request;
    request.files = {text.substr(0, end)};
    std::string_view rest = end == text.size() ? std::string_view() : std::string_view(text).substr(end + 1);
    const auto take = [&rest] {
        std::string part(base::takePart(rest, ':'));
        return part;
    };
    if (rest.empty()) {
        return request;
    }
    std::string first = take();
    if (rankOf(first) && !rest.empty()) {
        request.id = first + ":" + take();
    } else if (load::CompileId::parse(first)) {
        request.id = std::move(first);
    } else {
        request.kind = std::move(first);
        request.section = rest;
        return request;
    }
    request.kind = take();
    request.section = rest;
    return request;
}

namespace {

/// All ATen graphs that match the id and kind.
std::vector<session::ArtifactReference> atenGraphs(const std::vector<session::LogSnapshotPtr>& logs,
                                                   const GraphRequest& request) {
    std::vector<session::ArtifactReference> references;
    for (const CompileChoice& choice : selectCompiles(logs, request.id)) {
        const auto add = [&](const std::string& name) { references.push_back(referenceTo(choice, name)); };
        if (!choice.log->traceLog()) {
            for (const std::string& name : artifactNames(choice, true)) {
                if (request.kind.empty() || name == request.kind) {
                    add(name);
                }
            }
            continue;
        }
        const load::ArtifactList& artifacts = choice.log->traceLog()->artifacts(choice.compile);
        for (const std::uint32_t place : artifacts.graphs()) {
            const load::Artifact& artifact = artifacts[place];
            const bool wanted = request.kind.empty() ? isAtenGraph(artifact.kind)
                                                     : artifact.name == request.kind ||
                                                           artifact.name.starts_with(request.kind + "#");
            if (wanted) {
                add(artifacts.exactName(place));
            }
        }
    }
    return references;
}

/// Throws if several compiles have graphs, and all are of torch functions: none of them is what is looked
/// for.
void refuseOnlyDynamo(const std::vector<session::LogSnapshotPtr>& logs) {
    const auto ids =
        base::mapped(compilesWithGraphs(logs), [](const CompileChoice& choice) { return choice.id.text(); });
    if (ids.size() > 1) {
        throw usageFailure(
            "The log has only the graphs that Dynamo captured, and none of ATen operators.",
            {"With graphs: " + listed(ids),
             "aotscope-cli retrace FILE --out DIR compiles them; its graphs can be given here."});
    }
}

} // namespace

std::vector<session::ArtifactReference> selectAtenGraphs(Program& program, const GraphRequest& request) {
    if (!request.section.empty()) {
        return {selectGraph(program, request)};
    }
    const auto logs = program.open(request.files);
    std::vector<session::ArtifactReference> references = atenGraphs(logs, request);
    if (references.empty() && request.id.empty() && request.kind.empty()) {
        refuseOnlyDynamo(logs);
    }
    if (references.empty() || (!request.id.empty() && !request.kind.empty())) {
        // Finds the single graph, or throws a failure that lists the candidates.
        return {selectGraph(program, {request.files, request.id, request.kind, {}})};
    }
    return references;
}

std::string titleOf(Program& program, const session::ArtifactReference& reference) {
    return session::titleOf(program.session.tryLog(reference.log), reference);
}

std::vector<session::ArtifactReference> inferenceGraphs(const CompileChoice& choice) {
    std::vector<session::ArtifactReference> found;
    if (!choice.log->traceLog()) {
        const auto& graphs = choice.log->graphs();
        for (const session::GraphSnapshotPtr& graph : graphs) {
            const bool isAlone = graphs.size() == 1 && !graph->joint;
            if (isAlone || graph->reference.artifact.ends_with("/inference")) {
                found.push_back(graph->reference);
            }
        }
        return found;
    }
    const load::ArtifactList& artifacts = choice.log->traceLog()->artifacts(choice.compile);
    for (std::size_t place = 0; place < artifacts.size(); ++place) {
        if (artifacts[place].kind == load::RecordKind::AotInferenceGraph) {
            found.push_back(referenceTo(choice, artifacts.exactName(place)));
        }
    }
    return found;
}

std::optional<InferenceGraph> readInferenceGraph(Program& program, const CompileChoice& choice) {
    const std::vector<session::ArtifactReference> graphs = inferenceGraphs(choice);
    if (graphs.empty()) {
        return std::nullopt;
    }
    const auto read = program.graph(graphs.back());
    return InferenceGraph{titleOf(program, graphs.back()), read->graph, memory::profileGraph(*read->graph)};
}

} // namespace aotscope::cli
