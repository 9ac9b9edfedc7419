#include "ops/autograd_nodes.h"

#include "dispatch/libtorch_release.h"

#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/functions/tensor.h>
#include <torch/csrc/autograd/generated/Functions.h>
#include <torch/csrc/dynamo/compiled_autograd.h>

#include <string>
#include <thread>
#include <unordered_map>

namespace aotscope::torch::ops {

namespace {

namespace dynamo = ::torch::dynamo::autograd;
using ::torch::autograd::Node;

/// Thrown to end a node's call once it has bound its function.
struct HandedOver {};

/// Takes the place of Python's compiler: keeps the functions that nodes bind and ignores everything else.
class Collector : public dynamo::PyCompilerInterface {
public:
    explicit Collector(AutogradNode& taken) : m_taken(taken) {}

    std::string bind_function(PyObject* /*compiler*/, const std::string& /*name*/,
                              ::torch::autograd::functional_apply_t function, std::vector<c10::TypePtr> saved,
                              bool /*isCustom*/, bool /*isTraceable*/) const override {
        m_taken = {std::move(saved), std::move(function)};
        throw HandedOver();
    }

private:
    AutogradNode& m_taken;
};

/// Lets one node bind its backward; false when it binds none.
bool collect(const OwnedNode<Node>& node, const std::vector<at::Tensor>& gradients) {
    try {
        dynamo::AutogradCompilerCall compiler(dynamo::SizeInput::STATIC);
        const dynamo::NodeCall& call = compiler.node_calls.lookup(node);
        dynamo::CompiledNodeArgs arguments(compiler, compiler.node_calls.lookup(node));
        node->compiled_args(arguments);
        for (const at::Tensor& input : compiler.tensor_args.inputs) {
            compiler.tensor_args.lookup(input).proxy_tensor = input;
        }
        dynamo::TraceState state(std::vector<std::optional<c10::SymInt>>(compiler.all_size_inputs.size()), 0);
        dynamo::SwapSavedVariables saved(compiler, state, nullptr, call);
        node->apply_with_saved(gradients, saved);
    } catch (const HandedOver&) {
        return true;
    } catch (const c10::Error&) {
        // Some classes bind only inside a graph. They stay unknown, and a call is refused by name.
    }
    return false;
}

template<typename T>
Node* make() {
    return new T();
}

/// `make` returns an owning raw pointer: a smart pointer type for each of the many classes takes long to
/// compile.
struct NodeClass {
    std::string_view name;
    Node* (*make)();
};

namespace generated = ::torch::autograd::generated;
/// Every class of the wheel's Functions.h; the list is generated when the build is configured.
constexpr NodeClass generatedClasses[] = {
#define AOTSCOPE_AUTOGRAD_NODE(name) {#name, make<generated::name>},
#include "autograd_node_list.inc"
#undef AOTSCOPE_AUTOGRAD_NODE
};

using Table = std::unordered_map<std::string_view, AutogradNode>;

Table collectAll() {
    Table table;
    AutogradNode taken;
    const dynamo::PyCompilerGuard guard(std::make_unique<Collector>(taken));
    const auto take = [&](std::string_view name, const OwnedNode<Node>& node,
                          const std::vector<at::Tensor>& gradients) {
        if (collect(node, gradients)) {
            table.emplace(name, std::move(taken));
        }
    };
    for (const NodeClass& known : generatedClasses) {
        take(known.name, ownNode(known.make()), {});
    }
    take("CopyBackwards", ownNode<Node>(new ::torch::autograd::CopyBackwards()), {});
    const at::Tensor variable = at::zeros({1}).requires_grad_();
    take("AccumulateGrad", ownNode<Node>(new ::torch::autograd::AccumulateGrad(variable)), {at::zeros({1})});
    return table;
}

} // namespace

const AutogradNode* findAutogradNode(std::string_view name) {
    // On a separate thread, so that a running trace neither counts the sequence numbers of these nodes nor
    // records their tensors.
    static const Table table = [] {
        Table collected;
        std::thread([&] { collected = collectAll(); }).join();
        return collected;
    }();
    const auto found = table.find(name);
    return found == table.end() ? nullptr : &found->second;
}

} // namespace aotscope::torch::ops
