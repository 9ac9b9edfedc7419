#include "kernel_graphs.h"

#include "ir/bodies.h"
#include "ir/higher_order.h"

#include <algorithm>
#include <cctype>

namespace aotscope::cli {

namespace {

using session::ArtifactReference;

bool isJoint(const ArtifactReference& reference) {
    const std::string& name = reference.artifact;
    return name == "joint" || name.starts_with("joint#") || name.ends_with("/joint");
}
/// Graphs of torch functions, which are no ATen graphs.
bool isTorchProgram(const ArtifactReference& reference) {
    return reference.artifact.ends_with("/dynamo") || reference.artifact.ends_with("/predispatch");
}
/// What a joint graph and its halves have in common: the compile, in graph files the unit ("units/0/").
std::string unitOf(const ArtifactReference& reference) {
    const std::string& name = reference.artifact;
    std::string unit = std::to_string(reference.log) + ":" + idText(reference);
    if (name.starts_with("units/")) {
        unit += name.substr(0, name.find('/', 6));
    }
    return unit;
}

void addHalves(Program& program, const ArtifactReference& joint, std::vector<KernelGraph>& graphs) {
    const std::string title = titleOf(program, joint);
    auto [split, failed] = program.attempt<session::PartitionSnapshotPtr>(session::PartitionJoint{joint, {}});
    if (failed) {
        graphs.push_back({title, {}, std::move(failed)});
        return;
    }
    graphs.push_back({title + ", its forward", split->forward, {}});
    graphs.push_back({title + ", its backward", split->backward, {}});
}

/// flex_attention is no loop over its score and mask functions: they get tensors of all positions at once,
/// with other sizes than their graphs say.
std::string whyNotRun(const std::string& usedBy) {
    if (usedBy.empty()) {
        return "nothing in the graph calls it";
    }
    const ir::HigherOrderOperator* user = ir::tryHigherOrder(usedBy);
    return user != nullptr && user->bodiesTakeAllPositions
               ? "computed for all positions at once as part of flex_attention, not as a graph"
               : std::string();
}

std::vector<KernelGraph> withNested(Program& program, std::vector<KernelGraph> graphs) {
    std::vector<KernelGraph> all;
    for (KernelGraph& graph : graphs) {
        const std::optional<ArtifactReference> reference = graph.reference;
        all.push_back(std::move(graph));
        if (!reference) {
            continue;
        }
        const auto outer =
            program.attempt<session::GraphSnapshotPtr>(session::LoadGraph{*reference}).snapshot;
        // One that cannot be read fails where it is used.
        if (!outer || !outer->graph) {
            continue;
        }
        for (const ir::NestedGraph& nested : ir::nestedGraphs(*outer->graph)) {
            ArtifactReference inner = *reference;
            inner.subgraph.insert(inner.subgraph.end(), nested.path.begin(), nested.path.end());
            all.push_back({titleOf(program, inner), inner, {}, whyNotRun(nested.usedBy)});
        }
    }
    return all;
}

} // namespace

std::vector<KernelGraph> kernelGraphs(Program& program, const GraphRequest& request) {
    const std::vector<ArtifactReference> references = selectAtenGraphs(program, request);
    // A graph that the command line names is taken as it is.
    const bool isNamed = !request.kind.empty() || !request.section.empty();
    std::vector<KernelGraph> graphs;
    for (const ArtifactReference& reference : references) {
        const bool hasHalves = std::ranges::any_of(references, [&](const ArtifactReference& other) {
            return !isJoint(other) && !isTorchProgram(other) && unitOf(other) == unitOf(reference);
        });
        if (!isNamed && references.size() > 1 &&
            (isTorchProgram(reference) || (isJoint(reference) && hasHalves))) {
            continue;
        }
        if (isNamed || !isJoint(reference)) {
            graphs.push_back({titleOf(program, reference), reference, {}});
        } else {
            addHalves(program, reference, graphs);
        }
    }
    return request.section.empty() ? withNested(program, std::move(graphs)) : graphs;
}

std::string folderName(std::string title) {
    std::ranges::replace_if(
        title,
        [](char letter) {
            return std::isalnum(static_cast<unsigned char>(letter)) == 0 && letter != '.' && letter != '-' &&
                   letter != '_';
        },
        '_');
    return title;
}

} // namespace aotscope::cli
