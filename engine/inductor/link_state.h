#pragma once

#include "inductor/graph_facts.h"
#include "inductor/kernel_links.h"
#include "inductor/launch_flow.h"

#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

namespace aotscope::inductor {

/// What is known so far while kernels are linked: which node's value each buffer holds, and which launch runs
/// which operator.
struct LinkState {
    LinkState(const OutputCode& outputCode, const LinkInputs& linkInputs);

    const OutputCode& code;
    const LinkInputs& inputs;
    GraphFacts facts;
    CodeFlow flow;
    KernelLinks links;
    /// By value: the node whose memory it is.
    std::vector<std::optional<ir::NodeId>> nodeOf;
    /// By node id: the launch of a library's function that runs it.
    std::vector<std::optional<std::uint32_t>> externOf;
    /// By value: those that are elements of it.
    std::vector<std::vector<std::uint32_t>> elements;
    /// By node id: whether a buffer is known to hold its value.
    std::vector<bool> held;
    /// By launch: the nodes found, each once.
    std::vector<std::unordered_map<std::uint32_t, EvidenceSet>> found;

    /// How much more may be tried; real code uses a small part of it, hostile code ends here.
    std::size_t fitsLeft = 10'000'000;
    std::size_t visitsLeft = 50'000'000;
    std::stop_token stop;

    [[nodiscard]] const ir::Graph& graph() const { return facts.graph(); }
    /// Says what a value holds; what follows for elements and their operators is set, too. Returns whether it
    /// is new. A value that already has another node keeps it.
    bool setNode(std::uint32_t value, ir::NodeId node);
    void addLink(std::uint32_t launch, ir::NodeId node, EvidenceSet evidence);
    void disagree(std::string text);
    /// The element `place` of an operator's results; nothing: the graph does not use it.
    [[nodiscard]] std::optional<ir::NodeId> element(ir::NodeId node, int place) const;
    [[nodiscard]] const Kernel& kernelOf(std::uint32_t launch) const {
        return code.kernels[code.launches[launch].kernel];
    }
    /// What a launch reads, without the sizes.
    [[nodiscard]] std::vector<std::uint32_t> tensorReads(std::uint32_t launch) const;
    [[nodiscard]] bool isExtern(std::uint32_t launch) const { return kernelOf(launch).isExtern(); }
    /// Whether a buffer of the value's size can hold the node's value.
    [[nodiscard]] bool fitsSize(const HeldValue& value, ir::NodeId node) const;
    /// The same for size and type.
    [[nodiscard]] bool fits(const HeldValue& value, ir::NodeId node) const;
};

/// Finds the node of every call of a library's function, by operator, arguments, comments and order. Returns
/// whether anything new was found.
bool matchExterns(LinkState& state);

/// Links the nodes between what a generated kernel reads and what it writes, from the last launch to the
/// first, so that what later launches read is known. Returns whether anything new was found.
bool sliceKernels(LinkState& state);

/// Links the nodes that the graph fragment in a kernel's comment names.
void linkFragments(LinkState& state);

} // namespace aotscope::inductor
