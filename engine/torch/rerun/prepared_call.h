#pragma once

#include "run/executor.h"

#include <optional>
#include <vector>

namespace aotscope::torch {

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

} // namespace aotscope::torch
