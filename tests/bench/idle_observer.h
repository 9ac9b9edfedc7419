#pragma once

#include "wrappers/call_observer.h"

#include <string>

namespace aotscope::torch {

/// Hears every event of a call and of the nodes of its graphs, and does nothing: a person who could step
/// through the call, but does not.
class IdleObserver final : public CallObserver {
public:
    void entered(std::size_t /*step*/, bool /*backward*/, const Values& /*arguments*/) override {}
    void left(std::size_t /*step*/, bool /*backward*/, const Values& /*results*/) override {}
    void did(std::string /*action*/) override {}
    void departed(std::string /*value*/, std::string /*how*/, bool /*fails*/) override {}
    void packed(const std::string& /*saved*/, std::int64_t /*bytes*/, std::int64_t /*stored*/) override {}
    void unpacked(const std::string& /*saved*/) override {}
    void saving(const Values& /*saved*/) override {}
    NodeObserver* graphEntered(const ir::Graph& /*graph*/, bool /*backward*/,
                               const Values& /*arguments*/) override {
        return &m_nodes;
    }
    void graphLeft(const Values& /*results*/) override {}

private:
    class IdleNodeObserver final : public NodeObserver {
    public:
        void started(ir::NodeId /*node*/) override {}
        void finished(ir::NodeId /*node*/, c10::IValue& /*result*/, std::int64_t /*nanoseconds*/) override {}
        void released(ir::NodeId /*node*/, const c10::IValue& /*value*/) override {}
    };
    IdleNodeObserver m_nodes;
};

} // namespace aotscope::torch
