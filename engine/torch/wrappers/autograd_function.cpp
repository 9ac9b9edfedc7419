#include "wrappers/autograd_function.h"

#include "dispatch/failure.h"
#include "dispatch/libtorch_release.h"

#include <c10/core/GradMode.h>
#include <c10/core/UndefinedTensorImpl.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/basic_ops.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/graph_task.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <mutex>
#include <optional>

namespace aotscope::torch {

namespace {

using ::torch::autograd::Node;
using ::torch::autograd::SavedVariable;
using ::torch::autograd::variable_list;

/// One call of the compiled function, in autograd's graph. Its inputs are the tangents, its outputs the
/// gradients of the forward's inputs.
class CompiledFunctionBackward final : public Node {
public:
    CompiledFunctionBackward(std::shared_ptr<BackwardHalf> half, bool disableAmp)
        : m_half(std::move(half)), m_disableAmp(disableAmp) {}

    std::string name() const override { return "CompiledFunctionBackward"; }

    /// `isResult`: the tensor is a result of this node, so a full reference would be a cycle.
    void save(const at::Tensor& tensor, bool isChecked, bool isResult) {
        if (const PackHook& hook = m_half->facts().packHook) {
            pack(hook, isResult ? tensor.detach() : tensor);
        } else if (isChecked) {
            m_checked.emplace_back(tensor, isResult);
        } else {
            m_unchecked.push_back(isResult ? tensor.detach() : tensor);
        }
    }
    void saveNumber(c10::IValue number) { m_numbers.push_back(std::move(number)); }

    void release_variables() override {
        const std::lock_guard lock(m_release);
        release();
    }

    variable_list apply(variable_list&& gradients) override {
        const std::lock_guard lock(mutex_);
        CallObserver* observer = m_half->observer();
        if (observer != nullptr) {
            observer->entered(m_half->facts().step, true, Values(gradients.begin(), gradients.end()));
        }
        const bool createsGraph = c10::GradMode::is_enabled();
        m_half->check();
        const bool keepsGraph = ::torch::autograd::get_current_graph_task_keep_graph();
        ::torch::autograd::edge_list edges;
        variable_list results = compute(std::move(gradients), keepsGraph, createsGraph ? &edges : nullptr);
        if (createsGraph) {
            refuseDoubleBackward(results, edges);
        }
        if (observer != nullptr) {
            observer->left(m_half->facts().step, true, Values(results.begin(), results.end()));
        }
        return results;
    }

private:
    void pack(const PackHook& hook, const at::Tensor& tensor) {
        const c10::AutoGradMode noGrad(false);
        m_packed.push_back(hook(tensor));
        if (CallObserver* observer = m_half->observer()) {
            observer->packed(savedName(m_packed.size() - 1), static_cast<std::int64_t>(tensor.nbytes()),
                             m_packed.back().bytes);
        }
    }

    const std::string& savedName(std::size_t position) const {
        return m_half->facts().savedNames.at(position);
    }

    at::Tensor unpack(std::size_t position) const {
        at::Tensor tensor = m_packed[position].unpack();
        if (CallObserver* observer = m_half->observer()) {
            observer->unpacked(savedName(position));
        }
        return tensor;
    }

    void release() {
        for (SavedVariable& saved : m_checked) {
            saved.reset_data();
        }
        m_packed.clear();
        m_unchecked.clear();
        m_numbers.clear();
        m_isReleased = true;
    }

    /// `edges` receives those of what the gradients depend on, unless it is null.
    variable_list compute(variable_list&& gradients, bool keepsGraph, ::torch::autograd::edge_list* edges) {
        const c10::AutoGradMode noGrad(false);
        std::optional<c10::impl::ExcludeDispatchKeyGuard> noAutocast;
        if (m_disableAmp) {
            noAutocast.emplace(c10::autocast_dispatch_keyset);
        }
        std::vector<at::Tensor> saved;
        Values numbers;
        {
            const std::lock_guard lock(m_release);
            TORCH_CHECK(!m_isReleased, ::torch::autograd::ERR_BACKWARD_TWICE);
            saved.reserve(m_packed.size() + m_checked.size() + m_unchecked.size());
            for (std::size_t i = 0; i < m_packed.size(); ++i) {
                saved.push_back(unpack(i));
            }
            for (const SavedVariable& each : m_checked) {
                saved.push_back(each.unpack(getptr()));
            }
            saved.insert(saved.end(), m_unchecked.begin(), m_unchecked.end());
            numbers = m_numbers;
            if (!keepsGraph) {
                // Donated buffers and other saved tensors are freed at their last use in the backward.
                release();
            }
        }
        std::vector<at::Tensor> tangents;
        tangents.reserve(gradients.size());
        for (std::size_t i = 0; i < gradients.size(); ++i) {
            tangents.push_back(gradients[i].defined() ? std::move(gradients[i])
                                                      : input_metadata(i).zeros_like());
        }
        gradients.clear();
        if (edges != nullptr) {
            addEdges(saved, *edges);
            addEdges(tangents, *edges);
        }
        variable_list results =
            m_half->run(std::move(numbers), std::move(saved), std::move(tangents), keepsGraph);
        results.resize(num_outputs());
        for (std::size_t i = 0; i < results.size(); ++i) {
            if (!task_should_compute_output(i)) {
                results[i].reset();
            }
        }
        return results;
    }

    static void addEdges(const std::vector<at::Tensor>& tensors, ::torch::autograd::edge_list& edges) {
        for (const at::Tensor& tensor : tensors) {
            if (tensor.defined() && tensor.requires_grad()) {
                edges.push_back(::torch::autograd::impl::gradient_edge(tensor));
            }
        }
    }

    static void refuseDoubleBackward(variable_list& results, const ::torch::autograd::edge_list& edges) {
        for (at::Tensor& result : results) {
            if (result.defined() && ::torch::autograd::isDifferentiableType(result.scalar_type())) {
                OwnedNode<Node> refusal = ownNode<Node>(new ::torch::autograd::Error(
                    "torch.compile with aot_autograd does not currently support double backward",
                    ::torch::autograd::edge_list(edges)));
                result = result.detach();
                ::torch::autograd::set_history(result, refusal);
            }
        }
    }

    std::shared_ptr<BackwardHalf> m_half;
    bool m_disableAmp;
    std::mutex m_release;
    bool m_isReleased = false;
    /// All saved tensors, if there is a pack hook; else none.
    std::vector<PackedTensor> m_packed;
    std::vector<SavedVariable> m_checked;
    std::vector<at::Tensor> m_unchecked;
    Values m_numbers;
};

bool requiresGrad(const c10::IValue& value) {
    return value.isTensor() && value.toTensor().defined() && value.toTensor().requires_grad();
}

/// The edges from a function's autograd node to those of its arguments.
///
/// A leaf's accumulator lives only as long as somebody holds it, so a training loop would make and free one
/// for each parameter in each step. Those of leaves that come at the same place twice in a row are therefore
/// held, and their leaves with them, until another tensor comes there. They are held but never looked up
/// here: the edge is always what autograd finds for the tensor itself, also after its data were exchanged or
/// a new tensor got the memory of an old one.
class GradientEdges {
public:
    /// One per argument; arguments without gradient have none.
    [[nodiscard]] ::torch::autograd::edge_list of(const Values& arguments) {
        ::torch::autograd::edge_list edges(arguments.size());
        m_places.resize(arguments.size());
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            if (requiresGrad(arguments[i])) {
                edges[i] = ::torch::autograd::impl::gradient_edge(arguments[i].toTensor());
                remember(m_places[i], arguments[i].toTensor(), edges[i].function);
            } else {
                m_places[i] = {};
            }
        }
        return edges;
    }

private:
    using NodePtr = decltype(::torch::autograd::Edge::function);
    using LeafReference = c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;

    /// What came at a place in the last call.
    struct Place {
        /// Set from the second time on.
        NodePtr accumulator;
        /// The leaf of the first time. Keeps no data alive.
        LeafReference leaf{c10::intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>()};
    };
    static void remember(Place& place, const at::Tensor& argument, const NodePtr& node) {
        if (place.accumulator && place.accumulator == node) {
            return;
        }
        place.accumulator = {};
        if (!argument.is_leaf()) {
            place.leaf = LeafReference(c10::intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>());
            return;
        }
        const auto before = place.leaf.lock();
        if (before.get() == argument.unsafeGetTensorImpl()) {
            place.accumulator = node;
        } else {
            place.leaf = LeafReference(argument.getIntrusivePtr());
        }
    }

    std::vector<Place> m_places;
};

class AutogradFunctionCall {
public:
    AutogradFunctionCall(const aot::AOTDispatchAutograd& wrapper, std::shared_ptr<BackwardHalf> backward,
                         ResultViews views, BoxedCall forward)
        : m_wrapper(wrapper),
          m_backward(std::move(backward)),
          m_views(std::move(views)),
          m_forward(std::move(forward)) {}
    Values operator()(Values& arguments) {
        const bool isDifferentiable =
            c10::GradMode::is_enabled() && std::ranges::any_of(arguments, requiresGrad);
        auto* made =
            isDifferentiable ? new CompiledFunctionBackward(m_backward, m_wrapper.disableAmp) : nullptr;
        OwnedNode<Node> node;
        std::vector<at::Tensor> bases;
        if (made != nullptr) {
            node = ownNode<Node>(made);
            node->set_next_edges(m_edges.of(arguments));
            bases = m_views.basesAmong(arguments);
        }
        Values results;
        {
            const c10::AutoGradMode noGrad(false);
            results = m_forward(arguments);
        }
        const aot::SavedForBackward& saved = *m_wrapper.saved;
        const std::size_t returns = m_wrapper.numForwardReturns;
        if (const std::size_t counted = returns + saved.tensors + saved.numSymintsSavedForBw;
            results.size() != counted) {
            fail("call.results", "The forward returns " + std::to_string(results.size()) +
                                     " values where the partition counts " + std::to_string(counted) + ".");
        }
        if (made == nullptr) {
            results.resize(returns);
            return results;
        }
        m_views.shareVersions(results, bases);
        // What the graph returned, and what the caller gets.
        std::vector<std::pair<const c10::TensorImpl*, at::Tensor>> withHistory;
        for (const std::size_t position : m_wrapper.tangents) {
            at::Tensor result = results[position].toTensor();
            // One that is returned twice stays one tensor: its gradient comes by the last tangent, and the
            // others are zeros, as in PyTorch.
            const c10::TensorImpl* returned = result.unsafeGetTensorImpl();
            const auto earlier =
                std::ranges::find(withHistory, returned, [](const auto& each) { return each.first; });
            if (earlier != withHistory.end()) {
                result = earlier->second;
            } else {
                if (result.requires_grad()) {
                    result = result.detach();
                }
                result = m_views.asView(position, result, bases, m_wrapper.tangents.size());
                withHistory.emplace_back(returned, result);
            }
            results[position] = result;
            ::torch::autograd::set_history(result, node);
        }
        if (CallObserver* observer = m_backward->observer()) {
            observer->saving(Values(results.begin() + static_cast<std::ptrdiff_t>(returns), results.end()));
        }
        const std::size_t checked = saved.tensors - saved.numTensorsSavedWithNoVcCheck;
        for (std::size_t i = 0; i < saved.tensors; ++i) {
            const at::Tensor& tensor = results[returns + i].toTensor();
            const bool isResult = std::ranges::any_of(
                withHistory, [&](const auto& each) { return each.second.is_same(tensor); });
            made->save(tensor, i < checked, isResult);
        }
        for (std::size_t i = 0; i < saved.numSymintsSavedForBw; ++i) {
            made->saveNumber(results[returns + saved.tensors + i]);
        }
        results.resize(returns);
        return results;
    }

private:
    aot::AOTDispatchAutograd m_wrapper;
    std::shared_ptr<BackwardHalf> m_backward;
    ResultViews m_views;
    BoxedCall m_forward;
    GradientEdges m_edges;
};

} // namespace

BoxedCall autogradFunctionCall(const aot::AOTDispatchAutograd& wrapper,
                               std::shared_ptr<BackwardHalf> backward, ResultViews views, BoxedCall forward) {
    if (!wrapper.saved) {
        fail("call.not_partitioned", "The joint graph is not partitioned, so there is no forward to call.");
    }
    return AutogradFunctionCall(wrapper, std::move(backward), std::move(views), std::move(forward));
}

} // namespace aotscope::torch
