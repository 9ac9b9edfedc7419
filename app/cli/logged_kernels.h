#pragma once

#include "answer.h"

#include "files/generated_code.h"

#include <string>
#include <string_view>
#include <vector>

namespace aotscope::cli {

struct LinkedNode {
    std::string name;
    std::string target;
    std::vector<std::string> aotNodes = {};
    std::vector<std::string_view> evidence = {};
};
AOTSCOPE_MEMBERS(LinkedNode, name, target, aotNodes, evidence)

struct LoggedLaunch {
    inductor::Launch launch;
    /// Its kernel's name.
    std::string kernel;
    std::vector<LinkedNode> nodes = {};
    std::vector<inductor::SourceLink> sources = {};
    /// Why it has no nodes.
    std::string unlinked = {};
};
AOTSCOPE_MEMBERS(LoggedLaunch, launch, kernel, nodes, sources, unlinked)

struct UnlinkedNode {
    std::string name;
    inductor::NodeFate reason = inductor::NodeFate::Unknown;
};
AOTSCOPE_MEMBERS(UnlinkedNode, name, reason)

struct LoggedCode {
    std::string name;
    std::string half;
    bool cppWrapper = false;
    std::string graph;
    std::string aotGraph;
    bool hasMapping = false;
    std::vector<inductor::Kernel> kernels = {};
    std::vector<LoggedLaunch> launches = {};
    std::vector<UnlinkedNode> unlinkedNodes = {};
    /// With line 0: notes on all of the code.
    std::vector<inductor::CodeProblem> problems = {};
};
AOTSCOPE_MEMBERS(LoggedCode, name, half, cppWrapper, graph, aotGraph, hasMapping, kernels, launches,
                 unlinkedNodes, problems)

/// The generated code of one compile.
struct CompileKernelsAnswer {
    std::string id;
    std::vector<LoggedCode> codes = {};
};
AOTSCOPE_MEMBERS(CompileKernelsAnswer, id, codes)

struct KernelsAnswer {
    std::vector<CompileKernelsAnswer> compiles = {};
};
AOTSCOPE_MEMBERS(KernelsAnswer, compiles)
AOTSCOPE_ANSWER(KernelsAnswer, "aotscope.kernels/2")

/// Which launches are listed; empty members ask for nothing.
struct LaunchFilter {
    /// A node of the compiled graph or of AOTAutograd's.
    std::string node;
    /// "model.py:41", the end of a path and a line.
    std::string source;

    [[nodiscard]] bool empty() const { return node.empty() && source.empty(); }
    [[nodiscard]] bool takes(const inductor::GeneratedCode& code, std::size_t launch) const;
};
/// How many launches of a snapshot the filter takes.
[[nodiscard]] std::size_t countLaunches(const session::GeneratedCodeSnapshot& snapshot,
                                        const LaunchFilter& filter);

/// The kernels of a compile's generated code: one table per half, then what could not be linked. `id` as a
/// person writes it.
[[nodiscard]] std::string loggedKernelsText(const session::GeneratedCodeSnapshot& snapshot,
                                            const std::string& id, const LaunchFilter& filter);
[[nodiscard]] CompileKernelsAnswer loggedKernels(const session::GeneratedCodeSnapshot& snapshot,
                                                 const std::string& id, const LaunchFilter& filter);

} // namespace aotscope::cli
