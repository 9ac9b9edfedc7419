#include "wrapper_check.h"

#include "dispatch/failure.h"
#include "dispatch/handled_error.h"
#include "wrappers/backward_half.h"
#include "wrappers/compose.h"

#include <ATen/Context.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/rand.h>
#include <c10/core/GradMode.h>

#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <functional>
#include <map>

namespace aotscope::test {

namespace {

using torch::Values;

at::Tensor parameter() {
    return at::rand({3, 4}).set_requires_grad(true);
}

std::vector<std::string> names() {
    return {"x", "w"};
}

at::Tensor resultOf(torch::ComposedCall& composed, const at::Tensor& x, const at::Tensor& w) {
    Values arguments{x, w};
    return composed.call(arguments).at(0).toTensor();
}

void backward(const at::Tensor& result, std::optional<bool> retains = std::nullopt, bool creates = false) {
    ::torch::autograd::backward({result}, {at::ones_like(result)}, retains, creates);
}

std::string errorOf(const std::function<void()>& work) {
    try {
        work();
        return {};
    } catch (const std::exception&) {
        return torch::firstLine(torch::handledError("test").message);
    }
}

} // namespace

std::string backwardTwice(const aot::CompiledFunction& function) {
    torch::ComposedCall composed = torch::composeCall(function, names(), {}, nullptr);
    const at::Tensor result = resultOf(composed, at::rand({3, 4}), parameter());
    backward(result);
    return errorOf([&] { backward(result); });
}

std::string retainsGraph(const aot::CompiledFunction& function, bool firstRetains) {
    torch::ComposedCall composed = torch::composeCall(function, names(), {}, nullptr);
    const at::Tensor w = parameter();
    backward(resultOf(composed, at::rand({3, 4}), w), firstRetains);
    const at::Tensor result = resultOf(composed, at::rand({3, 4}), w);
    return errorOf([&] { backward(result, true); });
}

std::string doubleBackward(const aot::CompiledFunction& function) {
    torch::ComposedCall composed = torch::composeCall(function, names(), {}, nullptr);
    const at::Tensor w = parameter();
    const at::Tensor result = resultOf(composed, at::rand({3, 4}), w);
    return errorOf([&] {
        const auto gradients = ::torch::autograd::grad({result}, {w}, {at::ones_like(result)}, true, true);
        if (!gradients.at(0).requires_grad()) {
            throw std::runtime_error("the gradient does not require grad");
        }
        ::torch::autograd::backward({gradients[0].sum()}, {});
    });
}

std::string writesToSaved(const aot::CompiledFunction& function) {
    torch::ComposedCall composed = torch::composeCall(function, names(), {}, nullptr);
    const at::Tensor w = parameter();
    const at::Tensor x = at::rand({3, 4});
    const at::Tensor result = resultOf(composed, x, w);
    {
        const c10::AutoGradMode noGrad(false);
        x.add_(1);
        w.add_(1);
    }
    return errorOf([&] { backward(result); });
}

std::string writesToResult(const aot::CompiledFunction& function) {
    torch::ComposedCall composed = torch::composeCall(function, names(), {}, nullptr);
    Values arguments{at::rand({3, 4}), parameter()};
    const Values results = composed.call(arguments);
    {
        const c10::AutoGradMode noGrad(false);
        results.front().toTensor().mul_(2);
    }
    return errorOf([&] { backward(results.back().toTensor()); });
}

std::string deterministicBackward(const aot::CompiledFunction& function) {
    torch::ComposedCall composed = torch::composeCall(function, names(), {}, nullptr);
    const at::Tensor result = resultOf(composed, at::rand({3, 4}), parameter());
    at::globalContext().setDeterministicAlgorithms(true, false);
    std::string error = errorOf([&] { backward(result); });
    at::globalContext().setDeterministicAlgorithms(false, false);
    return error;
}

namespace {

/// Sees at the end of the graph whether a tensor is still alive.
class Watcher final : public torch::CallObserver, public torch::NodeObserver {
public:
    explicit Watcher(const at::Tensor& watched) : m_watched(watched.getIntrusivePtr()) {}
    bool freedInside = false;

    void entered(std::size_t /*step*/, bool /*backward*/, const Values& /*arguments*/) override {}
    void left(std::size_t /*step*/, bool /*backward*/, const Values& /*results*/) override {}
    void did(std::string /*action*/) override {}
    void departed(std::string /*value*/, std::string /*how*/, bool /*fails*/) override {}
    void packed(const std::string& /*saved*/, std::int64_t /*bytes*/, std::int64_t /*stored*/) override {}
    void unpacked(const std::string& /*saved*/) override {}
    void saving(const Values& /*saved*/) override {}
    torch::NodeObserver* graphEntered(const ir::Graph& graph, bool /*backward*/,
                                      const Values& /*arguments*/) override {
        m_last = graph.output().value();
        for (const ir::NodeId id : graph.order()) {
            m_last = graph.node(id).op == ir::Opcode::CallFunction ? id : m_last;
        }
        return this;
    }
    void graphLeft(const Values& /*results*/) override {}
    void started(ir::NodeId node) override {
        freedInside = freedInside || (node == m_last && m_watched.expired());
    }
    void finished(ir::NodeId /*node*/, c10::IValue& /*result*/, std::int64_t /*nanoseconds*/) override {}
    void released(ir::NodeId /*node*/, const c10::IValue& /*value*/) override {}

private:
    c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl> m_watched;
    ir::NodeId m_last;
};

} // namespace

bool freesInputsInside(const aot::CompiledFunction& function) {
    at::Tensor x = at::rand({3, 4});
    Watcher watcher(x);
    torch::ComposedCall composed = torch::composeCall(function, names(), {}, &watcher);
    Values arguments{x, parameter()};
    x.reset();
    const c10::AutoGradMode noGrad(false);
    (void)composed.call(arguments);
    return arguments.empty() && watcher.freedInside;
}

double retainedDifference(const aot::CompiledFunction& function) {
    torch::ComposedCall composed = torch::composeCall(function, names(), {}, nullptr);
    const at::Tensor w = parameter();
    const at::Tensor result = resultOf(composed, at::rand({3, 4}), w);
    backward(result, true);
    const at::Tensor first = w.grad().clone();
    w.mutable_grad().reset();
    backward(result);
    return w.grad().sub(first).abs().max().item().toDouble();
}

double gradientErrorOfChangingLeaves(const aot::CompiledFunction& function, const std::string& order) {
    torch::ComposedCall composed = torch::composeCall(function, names(), {}, nullptr);
    std::map<char, at::Tensor> leaves;
    double worst = 0;
    for (const char name : order) {
        if (name >= 'A' && name <= 'Z') {
            // Its memory is free for the next leaf that is made.
            leaves.erase(static_cast<char>(name - 'A' + 'a'));
            continue;
        }
        if (!leaves.contains(name)) {
            leaves[name] = parameter();
        }
        const at::Tensor x = at::rand({3, 4});
        at::Tensor& w = leaves[name];
        w.mutable_grad().reset();
        backward(resultOf(composed, x, w));
        for (const auto& [other, leaf] : leaves) {
            if (other != name && leaf.grad().defined()) {
                leaf.mutable_grad().reset();
            }
        }
        worst = std::max(worst, w.grad().defined() ? w.grad().sub(x).abs().max().item().toDouble() : 1.0);
    }
    return worst;
}

bool leafOutlivesCalls(const aot::CompiledFunction& function, int calls) {
    torch::ComposedCall composed = torch::composeCall(function, names(), {}, nullptr);
    at::Tensor w = parameter();
    for (int i = 0; i < calls; ++i) {
        backward(resultOf(composed, at::rand({3, 4}), w));
    }
    const c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl> watched(w.getIntrusivePtr());
    w.reset();
    if (!watched.expired() && calls > 1) {
        // A leaf that came twice is let go as soon as another comes.
        backward(resultOf(composed, at::rand({3, 4}), parameter()));
    }
    return !watched.expired();
}

std::string compiledAhead(const std::string& code) {
    torch::BackwardHalf half(
        {}, [&](const auto&) -> torch::BoxedCall { torch::fail(code, "It is gone."); }, nullptr);
    try {
        return "noted: " + half.compileAhead();
    } catch (const torch::RunFailure& failure) {
        return "thrown: " + failure.error().message;
    }
}

double gradientErrorAfterNewData(const aot::CompiledFunction& function) {
    torch::ComposedCall composed = torch::composeCall(function, names(), {}, nullptr);
    const at::Tensor w = parameter();
    for (int i = 0; i < 3; ++i) {
        backward(resultOf(composed, at::rand({3, 4}), w));
    }
    w.mutable_grad().reset();
    w.set_data(at::rand({3, 4}, at::kDouble));
    const at::Tensor x = at::rand({3, 4}, at::kDouble);
    backward(resultOf(composed, x, w));
    return w.grad().sub(x).abs().max().item().toDouble();
}

} // namespace aotscope::test
