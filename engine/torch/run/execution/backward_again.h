#pragma once

#include "run/execution/executor.h"

#include "torch_headers.h"

#include <cstdint>
#include <map>
#include <vector>

namespace aotscope::torch {

/// A backward that is run again with other values of some of its inputs.
class BackwardAgain {
public:
    /// Runs it on these inputs. Keeps its nodes' values, if they are at most `mostBytes` and none is random:
    /// then only what changed is recomputed. `graph` and `context` must outlive it. Throws as Executor::run.
    BackwardAgain(const ir::Graph& graph, RunContext& context, std::vector<c10::IValue> inputs,
                  std::int64_t mostBytes);

    struct Gradient {
        c10::IValue without;
        /// Only if the changed inputs reach it.
        c10::IValue with;
        bool isReached = false;
    };
    /// What the backward returns with these values of inputs.
    [[nodiscard]] std::vector<Gradient> gradientsWith(const std::map<ir::NodeId, c10::IValue>& changed);

private:
    [[nodiscard]] std::vector<c10::IValue> computeAgain(const std::map<ir::NodeId, c10::IValue>& changed,
                                                        const std::vector<bool>& reached);
    [[nodiscard]] std::vector<c10::IValue> runAgain(const std::map<ir::NodeId, c10::IValue>& changed);

    const ir::Graph& m_graph;
    RunContext& m_context;
    std::vector<c10::IValue> m_inputs;
    /// By node index; empty if they are not kept.
    std::vector<c10::IValue> m_values;
    std::vector<c10::IValue> m_gradients;
};

} // namespace aotscope::torch
