#include "kernel_graphs.h"

#include <algorithm>

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
    try {
        const auto split =
            program.resultOf<session::PartitionSnapshotPtr>(session::PartitionJoint{joint, {}});
        graphs.push_back({title + ", its forward", split->forward, {}});
        graphs.push_back({title + ", its backward", split->backward, {}});
    } catch (const Failure& failure) {
        graphs.push_back({title, {}, failure.error()});
    }
}

} // namespace

std::vector<KernelGraph> kernelGraphs(Program& program, const GraphRequest& request) {
    const std::vector<ArtifactReference> references = selectAtenGraphs(program, request);
    // What was asked for by name is taken as it is.
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
    return graphs;
}

} // namespace aotscope::cli
