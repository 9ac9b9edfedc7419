#pragma once

#include "contract/backend.h"
#include "ir/graph.h"

#include <map>
#include <string>
#include <vector>

/// Runs graphs through the interpreter of Dynamo's calls. In a file of its own, because LibTorch and doctest
/// both define CHECK.
namespace aotscope::test {

/// A call that reached the dispatcher: "aten.add.Tensor" with its arguments as FX prints them. A tensor is
/// named by the number of the call or input ("in0") that made it.
struct RecordedCall {
    std::string op;
    std::string arguments;
};

struct OpsRun {
    /// Empty: the graph ran to its end.
    std::string error;
    std::vector<RecordedCall> calls;
    /// Flat outputs that are tensors.
    std::vector<aot::TensorData> outputs;
    /// Grad mode and autocast were as before the run.
    bool stateRestored = false;
};

/// Runs a graph on CPU tensors: those given by placeholder name, others generated from the placeholder's
/// metadata. Symbols have their hints unless `symbols` has a value. Higher-order operators give an error that
/// names them.
[[nodiscard]] OpsRun runOps(const ir::Graph& graph, const std::map<std::string, aot::TensorData>& inputs,
                            std::uint64_t seed, const ir::SymbolBindings& symbols = {});

/// A name of PyTorch's Python interface, and how it is covered ("binding", "written", "unknown", "no
/// operator").
struct OpsCoverage {
    std::string name;
    std::string kind;
};
[[nodiscard]] std::vector<OpsCoverage> opsCoverage();
[[nodiscard]] std::string opsCoverageOf(const std::string& name);

} // namespace aotscope::test
