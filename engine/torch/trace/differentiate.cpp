#include "trace/differentiate.h"

#include "dispatch/dtypes.h"
#include "dispatch/failure.h"
#include "dispatch/libtorch_release.h"

#include "aot/backward_autocast.h"
#include "ops/graph_state.h"
#include "trace/functional_tensor.h"

#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/functions/basic_ops.h>
#include <torch/csrc/autograd/functions/utils.h>

#include <unordered_set>

namespace aotscope::torch {

namespace {

using ::torch::autograd::Node;
using ::torch::autograd::variable_list;

std::shared_ptr<const ir::NodeOrigin> markedBackward(const std::shared_ptr<const ir::NodeOrigin>& origin) {
    auto marked = std::make_shared<ir::NodeOrigin>(origin ? *origin : ir::NodeOrigin{});
    marked->backwardOfForward = true;
    return marked;
}

/// Runs before a backward node: the nodes recorded next belong to it.
class EnterNode final : public ::torch::autograd::FunctionPreHook {
public:
    EnterNode(Tracer& tracer, const Node& node, std::shared_ptr<const ir::NodeOrigin> origin, bool isMarked)
        : m_state(tracer.recorder()->state()),
          m_exchanged(tracer.beforeAutograd().exchanged()),
          m_node(node),
          m_sequenceNumber(static_cast<std::int64_t>(node.sequence_nr())),
          m_origin(isMarked ? markedBackward(origin) : std::move(origin)) {}
    variable_list operator()(const variable_list& grads) override {
        m_exchanged.enter(m_node.name());
        m_state.gradSequenceNumber = m_sequenceNumber;
        m_state.origin = m_origin;
        return grads;
    }

private:
    RecordingState& m_state;
    ExchangedOperators& m_exchanged;
    /// It owns this hook.
    const Node& m_node;
    std::int64_t m_sequenceNumber;
    std::shared_ptr<const ir::NodeOrigin> m_origin;
};

/// Runs after a backward node: sums of gradients before the next node keep its source, not its sequence
/// number.
class LeaveNode final : public ::torch::autograd::FunctionPostHook {
public:
    explicit LeaveNode(Tracer& tracer)
        : m_state(tracer.recorder()->state()), m_exchanged(tracer.beforeAutograd().exchanged()) {}
    variable_list operator()(const variable_list& outputs, const variable_list& /*inputs*/) override {
        m_exchanged.enter({});
        m_state.gradSequenceNumber.reset();
        return outputs;
    }

private:
    RecordingState& m_state;
    ExchangedOperators& m_exchanged;
};

/// LibTorch only warns of an operator without a derivative, and leaves the gradient out.
class RefuseMissingDerivatives final : public c10::WarningHandler {
public:
    void process(const c10::Warning& warning) override {
        const std::string& message = warning.msg();
        const std::size_t end = message.find(": an autograd kernel was not registered");
        if (end != std::string::npos) {
            fail("trace.no_derivative",
                 "derivative for " + message.substr(0, end) + " is not implemented: the backward needs it.",
                 "PyTorch warns and leaves the gradient out, or refuses: register a derivative "
                 "(torch.library.register_autograd), or detach the operator's inputs.");
        }
    }
};

void hookGraph(const std::vector<at::Tensor>& outputs, Tracer& tracer, const OriginOfSequence& originOf) {
    const bool isMarked = tracer.environment().rules().marksBackwardNodes;
    std::unordered_set<Node*> seen;
    std::vector<Node*> open;
    for (const at::Tensor& output : outputs) {
        if (Node* node = output.grad_fn().get(); node != nullptr && seen.insert(node).second) {
            open.push_back(node);
        }
    }
    while (!open.empty()) {
        Node* node = open.back();
        open.pop_back();
        node->add_pre_hook(
            std::make_unique<EnterNode>(tracer, *node, originOf(node->sequence_nr()), isMarked));
        node->add_post_hook(std::make_unique<LeaveNode>(tracer));
        for (const auto& edge : node->next_edges()) {
            if (edge.function && seen.insert(edge.function.get()).second) {
                open.push_back(edge.function.get());
            }
        }
    }
}

/// While it lives, autocast is as `backward_pass_autocast` says.
class BackwardAutocastScope {
public:
    explicit BackwardAutocastScope(std::string_view option) {
        const aot::BackwardAutocasts autocasts =
            aot::backwardAutocastsFrom(option).value_or(aot::BackwardAutocasts{});
        if (autocasts.isSameAsForward) {
            return;
        }
        for (const c10::DeviceType device : at::autocast::_AUTOCAST_SUPPORTED_DEVICES) {
            if (at::autocast::is_autocast_enabled(device)) {
                m_state.enterAutocast(device, std::nullopt, false, std::nullopt);
            }
        }
        for (const aot::BackwardAutocast& autocast : autocasts.entered) {
            const auto dtype = autocast.dtype ? scalarType(*autocast.dtype) : std::nullopt;
            m_state.enterAutocast(c10::Device(autocast.device).type(), dtype, autocast.enabled,
                                  autocast.cacheEnabled);
        }
    }

private:
    /// Leaves what was entered when it ends.
    ops::GraphState m_state;
};

/// Makes an outer tensor require grad as an input of the traced function: a non-leaf, so that the function
/// may change it in place, with an error node as its grad_fn. Follows torch 2.11,
/// torch/_functorch/_aot_autograd/functional_utils.py: to_fun (torch._mirror_autograd_meta_to).
void requireGradAsInput(const at::Tensor& tensor) {
    tensor.set_requires_grad(true);
    const OwnedNode<Node> maker =
        ownNode<Node>(new ::torch::autograd::Error("An input's own history was asked for."));
    ::torch::autograd::set_history(tensor, maker);
}

} // namespace

c10::IValue outerInput(const c10::IValue& value, bool requiresGrad) {
    if (!value.isTensor()) {
        return value;
    }
    at::Tensor outer = toFunctional(value.toTensor());
    if (requiresGrad) {
        requireGradAsInput(outer);
    }
    return outer;
}

std::vector<at::Tensor> differentiate(const BackwardEnds& ends, Tracer& tracer, std::string_view autocast,
                                      const OriginOfSequence& originOf) {
    hookGraph(ends.outputs, tracer, originOf);
    const BackwardAutocastScope asOptionSays(autocast);
    // A node that fails leaves its name behind.
    const LibTorchCode none(tracer.beforeAutograd().exchanged(), {});
    RefuseMissingDerivatives refusing;
    const c10::WarningUtils::WarningHandlerGuard refused(&refusing);
    return ::torch::autograd::grad(ends.outputs, ends.inputs, ends.tangents, /*retain_graph=*/false,
                                   /*create_graph=*/false, /*allow_unused=*/true);
}

} // namespace aotscope::torch
