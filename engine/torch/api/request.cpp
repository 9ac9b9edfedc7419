#include "api/request.h"

#include "dispatch/dtypes.h"
#include "dispatch/global_state_scope.h"
#include "dispatch/libtorch_release.h"
#include "trace/dynamo_program.h"
#include "trace/retrace.h"
#include "trace/trace_thread.h"
#include "trace/traced_inputs.h"
#include "wrappers/value_states.h"

#include "aot/versions/versions.h"
#include "ir/bodies.h"
#include "ir/graph_builder.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <mutex>

namespace aotscope::torch::api {

namespace {

using Named = std::pair<std::string, Tensor>;

[[noreturn]] void wrongArguments(const std::string& message, const std::string& hint = {}) {
    fail("aot.arguments", message, hint);
}

bool hasSymbols(const ir::TensorMeta& meta) {
    return std::ranges::any_of(meta.shape, [](const ir::SymInt& size) { return size.isSymbolic(); });
}

const Tensor* findTensor(const std::vector<Named>& tensors, const std::string& name) {
    const auto found = std::ranges::find(tensors, name, &Named::first);
    return found == tensors.end() ? nullptr : &found->second;
}

bool readsTensor(const ir::GraphContents& graph, const ir::Node& node) {
    return node.op == ir::Opcode::GetAttr && !ir::bodyOf(graph, node);
}

at::Tensor attributeTensor(const Module& module, const std::string& name) {
    const Tensor* parameter = findTensor(module.parameters, name);
    const Tensor* tensor = parameter != nullptr ? parameter : findTensor(module.buffers, name);
    if (tensor == nullptr || !tensor->defined()) {
        wrongArguments("The graph reads the attribute " + name +
                           ", and the module has no tensor of that name.",
                       "Put it into Module::parameters or Module::buffers.");
    }
    return tensorOf(*tensor);
}

/// Builds the request of a trace from real tensors.
class RequestMaker {
public:
    RequestMaker(const Module& module, std::span<const Value> arguments)
        : m_module(module), m_arguments(arguments), m_graph(*module.forward.impl().graph) {}

    aot::RetraceRequest make() {
        const std::vector<ir::NodeId> placeholders = m_graph.placeholders();
        if (placeholders.size() != m_arguments.size()) {
            wrongArguments("The graph takes " + std::to_string(placeholders.size()) + " arguments and got " +
                           std::to_string(m_arguments.size()) + ".");
        }
        for (std::size_t i = 0; i < placeholders.size(); ++i) {
            m_request.inputs.emplace_back();
            describe(placeholders[i], i);
        }
        for (const ir::NodeId id : std::vector(m_graph.order().begin(), m_graph.order().end())) {
            describeAttribute(id);
        }
        m_request.torch = libTorchVersion;
        m_request.state = currentGlobalState();
        m_request.program = m_graph.finish();
        return std::move(m_request);
    }

private:
    void describe(ir::NodeId id, std::size_t position) {
        const ir::Node& node = m_graph.node(id);
        const Value& argument = m_arguments[position];
        if (const auto* tensor = std::get_if<Tensor>(&argument); tensor != nullptr && tensor->defined()) {
            describeTensor(id, position, tensorOf(*tensor));
        } else if (const auto* number = std::get_if<std::int64_t>(&argument)) {
            describeInteger(node, *number);
        } else {
            wrongArguments("The argument for " + node.name + " is neither a tensor nor an integer.",
                           "Write other values into the graph as constants.");
        }
    }

    void describeTensor(ir::NodeId id, std::size_t position, const at::Tensor& tensor) {
        const ir::Node& node = m_graph.node(id);
        const ir::TensorMeta* written = ir::asTensor(node.value);
        if (written != nullptr && hasSymbols(*written)) {
            bindSizes(node, *written, tensor);
        } else {
            m_graph.editMeta(id).value = tensorMetaOf(tensor);
        }
        m_request.inputs[position] = factsOf(tensor);
        for (std::size_t i = 0; i < position; ++i) {
            const auto* earlier = std::get_if<Tensor>(&m_arguments[i]);
            if (earlier == nullptr || !earlier->defined()) {
                continue;
            }
            if (tensorOf(*earlier).is_same(tensor)) {
                m_request.inputs[position].duplicateOf = i;
                break;
            }
        }
    }

    void bindSizes(const ir::Node& node, const ir::TensorMeta& written, const at::Tensor& tensor) {
        if (written.shape.size() != static_cast<std::size_t>(tensor.dim()) ||
            written.dtype != dtypeOf(tensor.scalar_type())) {
            wrongArguments("The argument for " + node.name +
                           " is not of the number of dimensions and the "
                           "dtype that the graph names: " +
                           ir::valueText(node.value) + ".");
        }
        for (std::size_t i = 0; i < written.shape.size(); ++i) {
            bind(node, written.shape[i], tensor.size(static_cast<std::int64_t>(i)));
        }
    }

    void describeInteger(const ir::Node& node, std::int64_t number) {
        if (const auto* symbol = std::get_if<ir::SymbolicMeta>(&node.value)) {
            bind(node, ir::SymInt(symbol->expression), number);
            return;
        }
        wrongArguments("The graph names no symbol for the integer " + node.name + ".",
                       "Annotate the placeholder (\"Sym(s0)\"), or write the number into the graph.");
    }

    void bind(const ir::Node& node, const ir::SymInt& size, std::int64_t real) {
        if (!size.isSymbolic() && size.integer() != real) {
            wrongArguments("The graph was made for another size of " + node.name + " than " +
                           std::to_string(real) + ": " + ir::valueText(node.value) + ".");
        }
        if (size.isSymbolic() && size.expression().symbols() == std::vector{size.text()}) {
            m_request.symbolHints[size.text()] = real;
        }
    }

    void describeAttribute(ir::NodeId id) {
        const ir::Node& node = m_graph.node(id);
        if (!readsTensor(m_graph, node)) {
            return;
        }
        const at::Tensor real = attributeTensor(m_module, node.target);
        const bool isParameter = findTensor(m_module.parameters, node.target) != nullptr;
        m_graph.editMeta(id).value = tensorMetaOf(real);
        if (std::ranges::find(m_request.attributes, node.target, &aot::RetraceAttribute::name) !=
            m_request.attributes.end()) {
            return;
        }
        aot::RetraceAttribute attribute{.name = node.target, .input = {}, .isBuffer = !isParameter};
        attribute.input.requiresGrad = real.requires_grad();
        attribute.input.isLeaf = real.is_leaf();
        attribute.input.isParameter = isParameter;
        attribute.input.isStatic = true;
        m_request.attributes.push_back(std::move(attribute));
    }

    aot::RetraceInput factsOf(const at::Tensor& tensor) {
        aot::RetraceInput facts;
        facts.requiresGrad = tensor.requires_grad();
        facts.isLeaf = tensor.is_leaf();
        facts.storage = storageNumber(tensor);
        facts.storageOffset = tensor.storage_offset();
        facts.storageBytes = static_cast<std::int64_t>(tensor.storage().nbytes());
        if (tensor.is_view()) {
            facts.viewBase = tensorMetaOf(at::Tensor(tensor._base()));
        }
        return facts;
    }

    std::int64_t storageNumber(const at::Tensor& tensor) {
        const void* storage = tensor.storage().unsafeGetStorageImpl();
        const auto known = std::ranges::find(m_storages, storage);
        if (known == m_storages.end()) {
            m_storages.push_back(storage);
            return static_cast<std::int64_t>(m_storages.size()) - 1;
        }
        return known - m_storages.begin();
    }

    const Module& m_module;
    std::span<const Value> m_arguments;
    ir::GraphBuilder m_graph;
    aot::RetraceRequest m_request;
    std::vector<const void*> m_storages;
};

} // namespace

aot::RetraceRequest requestOf(const Module& module, std::span<const Value> arguments) {
    return RequestMaker(module, arguments).make();
}

Values attributesOf(const Module& module, const aot::RetraceRequest& request,
                    std::vector<std::string>& names) {
    ProgramPosition position;
    DynamoProgram program(request.program, position, {}, aot::torchRules(request.torch).trace);
    program.orderAttributes([&](const ir::Node& node) { return attributeOf(request, node).isBuffer; });
    Values tensors;
    for (const ir::NodeId id : program.attributes()) {
        const std::string& name = request.program->node(id).target;
        names.push_back(name);
        tensors.emplace_back(attributeTensor(module, name));
    }
    return tensors;
}

void checkAttributes(const Module& module) {
    const ir::Graph& graph = *module.forward.impl().graph;
    for (const ir::NodeId id : graph.order()) {
        if (readsTensor(graph, graph.node(id))) {
            (void)attributeTensor(module, graph.node(id).target);
        }
    }
}

aot::DecompositionTable tableOf(Decompositions decompositions) {
    switch (decompositions) {
    case Decompositions::Core:
        return aot::DecompositionTable::Core;
    case Decompositions::Inductor:
        return aot::DecompositionTable::Inductor;
    case Decompositions::None:
        break;
    }
    return aot::DecompositionTable::None;
}

aot::RetraceResult traced(const aot::RetraceRequest& request) {
    static std::mutex mutex;
    const std::scoped_lock lock(mutex);
    TraceThread thread;
    return valueOrThrow(retrace(request, {}, {}, thread));
}

} // namespace aotscope::torch::api
