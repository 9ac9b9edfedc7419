#pragma once

#include "inductor/kernel_links.h"
#include "inductor/output_code.h"
#include "ir/graph.h"
#include "load/trace_log.h"

#include "base/progress.h"
#include "base/result.h"

#include <optional>
#include <string>
#include <vector>

namespace aotscope::inductor {

/// One `inductor_output_code` record of a log, with the graph that it was generated from.
struct GeneratedCode {
    load::RecordId record;
    load::CompileIndex compile;
    /// Its name among the compile's artifacts: "inductor_output_code", "inductor_output_code#2".
    std::string name;
    /// "forward", "backward", "inference"; empty: unknown.
    std::string half;
    OutputCode code;
    /// What the names in comments refer to: the last graph before code generation (torch 2.11:
    /// `inductor_post_grad_graph`), else AOTAutograd's; null: the log has neither. With its artifact's name.
    ir::GraphPtr graph;
    std::string graphName;
    /// AOTAutograd's graph of this half; null: not in the log.
    ir::GraphPtr aotGraph;
    std::string aotName;
    /// By node id of `graph`: the nodes of `aotGraph` that it computes; Inductor's own passes replace some.
    std::vector<std::vector<ir::NodeId>> aotNodes;
    /// Empty without `graph`.
    KernelLinks links;
    /// Whether the log has PyTorch's own mapping, and stacks, for this code.
    bool hasMapping = false;
    bool hasStacks = false;
    /// What could not be read, in words.
    std::vector<std::string> notes;
};

struct LogKernelOptions {
    /// Links by comments and data flow alone, as where the log has no mapping.
    bool withholdMapping = false;
};

/// The generated code of a compile in file order; empty: the log has none. Errors: session.canceled.
[[nodiscard]] base::Result<std::vector<GeneratedCode>> generatedCode(const load::TraceLog& log,
                                                                     load::CompileIndex compile,
                                                                     const base::Progress& progress = {},
                                                                     const LogKernelOptions& options = {});

/// For each node of `after` the nodes of `before` that it stands for: those of the same name and operator;
/// for nodes that a pass put in, those in whose place they are. By node id of `after`.
[[nodiscard]] std::vector<std::vector<ir::NodeId>> replacedNodes(const ir::Graph& before,
                                                                 const ir::Graph& after);

} // namespace aotscope::inductor
