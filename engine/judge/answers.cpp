#include "judge/answers.h"

#include "files/logged_partitions.h"
#include "judge/logged_answer.h"
#include "judge/logged_metadata.h"

#include "ir/text/parser.h"
#include "ir/text/sections.h"
#include "load/record_kind.h"

#include <algorithm>
#include <string>
#include <utility>

namespace aotscope::judge {
namespace {

using session::ArtifactReference;
using session::GraphSnapshotPtr;

/// With what belongs to the graphs alone.
base::Result<LoggedAnswer> readHalves(const session::LoggedPartition& logged,
                                      const session::ReadGraph& read) {
    LoggedAnswer answer;
    struct Part {
        const std::optional<ArtifactReference>& reference;
        GraphSnapshotPtr& snapshot;
        ir::GraphPtr& graph;
    };
    for (const Part& part :
         {Part{logged.forward, answer.forward, answer.graphs.forward},
          Part{logged.backward, answer.backward, answer.graphs.backward},
          Part{logged.hookedForward, answer.hookedForward, answer.graphs.hookedForward},
          Part{logged.hookedBackward, answer.hookedBackward, answer.graphs.hookedBackward}}) {
        if (part.reference) {
            AOTSCOPE_TRY(snapshot, read(*part.reference));
            part.graph = snapshot->graph;
            part.snapshot = std::move(snapshot);
        }
    }
    answer.forwardOutputs = session::forwardOutputsOf(*answer.graphs.forward, *answer.graphs.backward);
    return answer;
}

/// The graphs of saved-tensors hooks in PyTorch's record `aot_saved_tensors_hooks_graphs`, in its order. A
/// graph that cannot be read is null. They follow each other
/// as pack and unpack of one tensor.
std::vector<passes::InlinedHook> loggedHooks(std::string_view record) {
    std::vector<passes::InlinedHook> found;
    for (const ir::NamedGraphText& section : ir::splitGraphSections(record)) {
        const bool isPack = section.name.starts_with(load::packSection);
        if (!isPack && !section.name.starts_with(load::unpackSection)) {
            continue;
        }
        const std::string saved =
            section.name.substr((isPack ? load::packSection : load::unpackSection).size());
        auto graph = ir::parseGraphText(section.text);
        if (isPack) {
            found.push_back({saved, nullptr, nullptr});
        }
        if (graph && !found.empty() && found.back().saved == saved) {
            (isPack ? found.back().pack : found.back().unpack) = std::move(graph).value();
        }
    }
    return found;
}

std::int64_t bytesTaken(const ir::Graph& graph, ir::NodeId node) {
    const ir::TensorMeta* tensor = ir::asTensor(graph.node(node).value);
    return tensor == nullptr ? 0 : tensor->bytes(graph.symbolHints()).value_or(0);
}

} // namespace

base::Result<Answers> readAnswers(const session::LogSnapshot& log, const ArtifactReference& joint,
                                  const session::ReadGraph& read) {
    Answers answers;
    const auto compile = log.tryFindCompile(joint);
    if (!compile) {
        return answers;
    }
    for (const session::LoggedPartition& logged : session::loggedPartitions(log, *compile, joint.compile)) {
        if (logged.joint.artifact != joint.artifact || logged.joint.subgraph != joint.subgraph ||
            !logged.forward || !logged.backward) {
            continue;
        }
        auto answer = readHalves(logged, read);
        if (!answer) {
            if (base::isCanceled(answer.error())) {
                return std::move(answer).error();
            }
            answers.notes.push_back("The logged halves cannot be read: " + answer.error().message);
            continue;
        }
        answer->partitioner = logged.partitioner;
        answer->metadata = loggedPartitionMetadata(log, logged);
        answer->isText = log.traceLog() != nullptr;
        if (log.traceLog()) {
            answer->stateSymbols = session::loggedStateSymbols(log.traceLog()->loggedSymbols(*compile));
        }
        if (logged.hooks) {
            answer->graphs.hooks = loggedHooks(log.traceLog()->payload(*logged.hooks));
        }
        answers.halves.push_back(std::make_shared<const LoggedAnswer>(std::move(answer).value()));
    }
    return answers;
}

LoggedAnswerPtr tryAnswerOf(const Answers& answers, passes::Partitioner partitioner) {
    const auto found = std::ranges::find_if(answers.halves, [&](const LoggedAnswerPtr& logged) {
        return logged->partitioner.empty() || logged->partitioner == base::wordOf(partitioner);
    });
    return found == answers.halves.end() ? nullptr : *found;
}

const ir::Graph& backwardThatRan(const LoggedAnswer& logged) {
    return logged.graphs.hookedBackward ? *logged.graphs.hookedBackward : *logged.graphs.backward;
}

layout::SplitFacts loggedSplitFacts(const ir::Graph& drawn, const LoggedAnswer& logged) {
    const ir::Graph& forward = *logged.graphs.forward;
    const ir::Graph& backward = *logged.graphs.backward;
    layout::SplitFacts facts;
    facts.fates.assign(drawn.idBound(), ir::NodeFate::Removed);
    facts.known.assign(drawn.idBound(), false);
    for (const ir::NodeId node : drawn.order()) {
        const std::string& name = drawn.node(node).name;
        const auto before = forward.tryFind(name);
        const auto after = backward.tryFind(name);
        facts.known[node.index()] = before || after;
        const bool isTaken = after && backward.node(*after).op == ir::Opcode::Placeholder;
        facts.fates[node.index()] = before && isTaken ? ir::NodeFate::Saved
                                    : before && after ? ir::NodeFate::Recomputed
                                    : before          ? ir::NodeFate::ForwardOnly
                                    : after           ? ir::NodeFate::BackwardOnly
                                                      : ir::NodeFate::Removed;
    }
    for (const ir::NodeId taken : backward.placeholders()) {
        const auto node = drawn.tryFind(backward.node(taken).name);
        if (node && facts.fates[node->index()] == ir::NodeFate::Saved) {
            facts.saved.push_back({*node, bytesTaken(backward, taken)});
        }
    }
    return facts;
}

} // namespace aotscope::judge
