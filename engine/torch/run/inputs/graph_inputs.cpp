#include "run/inputs/graph_inputs.h"

#include "dispatch/failure.h"
#include "run/inputs/input_needs.h"
#include "run/inputs/tensor_data.h"
#include "run/state/frame.h"
#include "run/state/memory_limit.h"
#include "run/state/tensor_copy.h"

#include "ir/used_symbols.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <set>
#include <string>

namespace aotscope::torch {

namespace {

using c10::IValue;

std::string megabytes(std::int64_t bytes) {
    return std::to_string(bytes / 1'000'000) + " MB";
}

std::int64_t inputBytes(const ir::TensorMeta& meta, const RunContext& context) {
    const ConcreteLayout layout = concreteLayout(meta, context);
    const std::int64_t elements = storageElements(layout.shape, layout.stride, layout.offset);
    return elements * static_cast<std::int64_t>(std::max<std::size_t>(ir::dtypeBytes(meta.dtype), 1));
}

/// Sets `current` to the input being checked, for error messages.
void checkMemory(const ir::Graph& graph, const RunContext& context, const ir::Node*& current) {
    std::int64_t total = 0;
    for (const ir::NodeId id : graph.placeholders()) {
        current = &graph.node(id);
        const ir::TensorMeta* meta = ir::asTensor(graph.node(id).value);
        if (meta != nullptr && __builtin_add_overflow(total, inputBytes(*meta, context), &total)) {
            fail("run.too_large", "The graph's inputs need more bytes than a 64-bit number can count.");
        }
    }
    current = nullptr;
    const std::int64_t available = availableMemory(context.place.device);
    if (total > available / 10 * 8) {
        fail("run.too_large",
             "The graph's inputs need " + megabytes(total) + ", and " + megabytes(available) +
                 " of memory are free" + (context.place.isGpu() ? " on the GPU." : "."),
             "Choose smaller values for its symbols, or run it on a machine with more memory.");
    }
}

/// The caller's data with the strides of the trace, on the CPU.
at::Tensor givenTensor(const aot::TensorData& data, const ir::TensorMeta* meta, const RunContext& context) {
    const at::Tensor tensor = tensorFromData(data);
    if (meta == nullptr || !meta->stride) {
        return tensor;
    }
    const ConcreteLayout layout = concreteLayout(*meta, context);
    if (layout.shape != tensor.sizes().vec() || layout.stride == tensor.strides().vec()) {
        return tensor;
    }
    const std::int64_t elements = storageElements(layout.shape, layout.stride, 0);
    at::Tensor strided = at::empty({elements}, tensor.options()).as_strided(layout.shape, layout.stride);
    // Elements that overlap through stride 0 are written once.
    const at::Tensor once = oncePerElement(strided);
    once.copy_(tensor.as_strided(once.sizes(), tensor.strides()));
    return strided;
}

IValue givenValue(const ir::Node& node, const aot::TensorData& data, const RunContext& context) {
    if (std::holds_alternative<ir::SymbolicMeta>(node.value)) {
        return tensorFromData(data).item();
    }
    const ir::TensorMeta* meta = ir::asTensor(node.value);
    const c10::Device device = meta != nullptr ? context.place.of(meta->device) : context.place.device;
    return movedTo(givenTensor(data, meta, context), device);
}

IValue madeValue(const ir::Node& node, bool isUsed, const ValueNeeds& needs, RunContext& context) {
    if (const ir::TensorMeta* meta = ir::asTensor(node.value)) {
        if (meta->subclass) {
            fail("run.unsupported_input", "It is a tensor subclass (" + meta->subclass->className + ").",
                 "Run the joint, forward or inference graph, in which subclasses are unwrapped.");
        }
        return makeTensor(*meta, needs, tensorSeed(context.seed, node.name), context);
    }
    if (const auto* symbol = std::get_if<ir::SymbolicMeta>(&node.value)) {
        IValue value = symbolValue(symbol->expression, context);
        if (symbol->kind == ir::SymbolicMeta::Kind::Float && value.isInt()) {
            return static_cast<double>(value.toInt());
        }
        return value;
    }
    if (std::holds_alternative<std::monostate>(node.value) && isUsed) {
        fail("run.unsupported_input", "Its shape and dtype are not logged.");
    }
    // A Python object (a generator, an opaque value): a node that uses it reports an error. None has no
    // logged metadata.
    context.note("The input \"" + node.name + "\" is neither a tensor nor a number; it is left out.");
    return {};
}

void noteDevices(const ir::Graph& graph, RunContext& context) {
    std::set<std::string> devices;
    for (const ir::NodeId id : graph.order()) {
        const ir::TensorMeta* meta = ir::asTensor(graph.node(id).value);
        if (meta != nullptr && meta->device && meta->device->type != "cpu") {
            devices.insert(meta->device->text());
        }
    }
    for (const std::string& device : devices) {
        const auto logged = ir::Device::parse(device);
        const c10::Device ran = context.place.of(logged);
        if (ran.type() != (logged ? c10::Device(logged->type).type() : c10::kCPU)) {
            context.note("Logged on " + device + ", run on " + (ran.is_cpu() ? "the CPU." : ran.str() + "."));
        }
    }
}

/// Notes inputs and symbols in the options that the graph does not have.
void noteUnused(const ir::Graph& graph, const session::RunOptions& options, RunContext& context) {
    std::set<std::string> names;
    std::set<std::string> symbols;
    for (const ir::NodeId id : graph.order()) {
        const ir::Node& node = graph.node(id);
        ir::addSymbols(node.value, symbols);
        for (const ir::Argument& argument : node.args) {
            ir::addSymbols(argument, symbols);
        }
        if (node.op == ir::Opcode::Placeholder) {
            names.insert(node.name);
        }
    }
    for (const auto& [name, data] : options.inputs) {
        if (!names.contains(name)) {
            context.note("The graph has no input \"" + name + "\": the value given for it is not used.");
        }
    }
    for (const auto& [symbol, value] : options.symbols) {
        if (!symbols.contains(symbol)) {
            context.note("The graph has no symbol \"" + symbol + "\": the value given for it is not used.");
        }
    }
}

} // namespace

std::vector<IValue> graphInputs(const ir::Graph& graph, const session::RunOptions& options,
                                RunContext& context, std::span<const ValueNeeds> more) {
    std::vector<IValue> inputs;
    const ir::Node* current = nullptr;
    try {
        checkMemory(graph, context, current);
        noteDevices(graph, context);
        noteUnused(graph, options, context);
        std::vector<ValueNeeds> needs = valueNeeds(graph, context);
        for (const ir::NodeId id : graph.placeholders()) {
            if (inputs.size() < more.size()) {
                addNeeds(needs[id.index()], more[inputs.size()]);
            }
            current = &graph.node(id);
            const auto given = options.inputs.find(current->name);
            inputs.push_back(given == options.inputs.end()
                                 ? madeValue(*current, !graph.users(id).empty(), needs[id.index()], context)
                                 : givenValue(*current, given->second, context));
        }
    } catch (RunFailure& failure) {
        if (current != nullptr) {
            failure.error().message = "The input \"" + current->name + "\": " + failure.error().message;
            failure.error().place.node = current->name;
        }
        throw;
    }
    return inputs;
}

} // namespace aotscope::torch
