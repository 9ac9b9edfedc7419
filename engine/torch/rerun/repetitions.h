#pragma once

#include "rerun/region_values.h"
#include "run/execution/executor.h"

#include "contract/rerun_request.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace aotscope::torch {

/// Calls `before` and then `work` as often as the settings say, and returns how long each `work` that counts
/// took, in nanoseconds: on the CPU by the computer's clock, on a GPU between two CUDA events in the stream.
/// With cold caches these are emptied after `before`. Throws Canceled between two repetitions, what the two
/// throw, and RunFailure (cuda.failed, cuda.lost, run.too_large) with what the GPU says of the work.
[[nodiscard]] std::vector<std::int64_t> timeRepetitions(const session::RerunSettings& settings,
                                                        c10::Device device, base::Progress& progress,
                                                        const std::function<void()>& before,
                                                        const std::function<void()>& work);

/// The median time of the same loop in nanoseconds, around work that leaves out what is measured.
[[nodiscard]] double medianOverhead(c10::Device device, base::Progress& progress,
                                    const std::function<void()>& work);

/// A node that is called again and again: its operator is found, and its arguments are converted to what the
/// operator takes, once. The executor and the graph must outlive it.
class PreparedCall {
public:
    /// `frame` has the values of the node's inputs. Those of nodes that are marked in `changes`, by node
    /// index, are read from the frame again at each call; the others stay.
    PreparedCall(Executor& executor, const Frame& frame, ir::NodeId node, const std::vector<bool>& changes);

    /// The node's value. Throws as Executor::compute.
    [[nodiscard]] c10::IValue operator()(const Frame& frame) const;
    /// All that a call does besides the operator itself, to see what that takes.
    [[nodiscard]] c10::Stack arguments(const Frame& frame) const;

    /// Whether each call converts its arguments anew, because the node is no operator of LibTorch or its
    /// arguments are of a form that changes.
    [[nodiscard]] bool isGeneral() const { return !m_operator; }
    [[nodiscard]] ir::NodeId node() const { return m_node; }

private:
    /// An argument that is read from the frame at each call.
    struct Changing {
        std::size_t argument = 0;
        /// Among the tensors of a list.
        std::optional<std::size_t> element;
        ir::NodeId node;
    };
    [[nodiscard]] bool findChanging(const Frame& frame, const c10::FunctionSchema& schema,
                                    const std::vector<bool>& changes);
    [[nodiscard]] bool findIn(const ir::Argument& argument, std::size_t position, const Frame& frame,
                              const std::vector<bool>& changes);

    void letGo();

    Executor& m_executor;
    ir::NodeId m_node;
    std::optional<c10::OperatorHandle> m_operator;
    c10::Stack m_arguments;
    std::vector<Changing> m_changing;
};

/// The calls of a region's nodes on inputs of their own, ready to be repeated.
class Repetitions {
public:
    /// `graph` has the region's nodes, perhaps with other arguments than in the run; `values` has the inputs.
    /// Runs the nodes once. All references must outlive it. Throws as Executor::compute, with the node's
    /// name.
    Repetitions(const ir::Graph& graph, const session::RerunRegion& region, const RegionValues& values,
                RunContext& context);

    /// The nodes' values after the last repetition, in the order of RerunRegion::outputs.
    [[nodiscard]] std::vector<c10::IValue> outputs() const;
    /// Whether the tensors of an input are put back before each repetition, by position in
    /// RerunRegion::inputs.
    [[nodiscard]] bool isRestored(std::size_t input) const;

    /// Times of the repetitions that count, in nanoseconds. Throws also Canceled.
    [[nodiscard]] std::vector<std::int64_t> measure(const session::RerunSettings& settings);
    /// The median time of the same loop without the operators.
    [[nodiscard]] double overhead() const { return m_overhead; }

    /// Whether a call converts its arguments anew at each repetition.
    [[nodiscard]] bool hasGeneralCalls() const;

private:
    struct Restored {
        at::Tensor working;
        at::Tensor original;
    };
    void takeInputs();
    void measureOverhead();
    void runFirst();
    void restore();
    void callAll();
    void layOutAgain(ir::NodeId node);

    const ir::Graph& m_graph;
    const session::RerunRegion& m_region;
    const RegionValues& m_values;
    RunContext& m_context;
    Executor m_executor;
    Frame m_frame;
    std::vector<PreparedCall> m_calls;
    /// By position in the region, the values that are not needed after that node.
    std::vector<std::vector<ir::NodeId>> m_lastUses;
    std::vector<Restored> m_restored;
    ir::NodeId m_current;
    double m_overhead = 0;
};

} // namespace aotscope::torch
