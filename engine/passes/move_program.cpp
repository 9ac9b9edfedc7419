#include "passes/move_program.h"

#include "ir/graph_builder.h"
#include "ir/map_nodes.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace aotscope::passes {

namespace {

constexpr std::string_view cpu = "cpu";

/// Functions that make a tensor on the default device.
constexpr std::array<std::string_view, 35> constructors{
    "torch.empty",
    "torch.empty_permuted",
    "torch.empty_strided",
    "torch.empty_quantized",
    "torch.ones",
    "torch.arange",
    "torch.bartlett_window",
    "torch.blackman_window",
    "torch.eye",
    "torch.fft.fftfreq",
    "torch.fft.rfftfreq",
    "torch.full",
    "torch.hamming_window",
    "torch.hann_window",
    "torch.kaiser_window",
    "torch.linspace",
    "torch.logspace",
    "torch.rand",
    "torch.randn",
    "torch.randint",
    "torch.randperm",
    "torch.range",
    "torch.sparse_coo_tensor",
    "torch.sparse_compressed_tensor",
    "torch.sparse_csr_tensor",
    "torch.sparse_csc_tensor",
    "torch.sparse_bsr_tensor",
    "torch.sparse_bsc_tensor",
    "torch.tril_indices",
    "torch.triu_indices",
    "torch.zeros",
    "torch.asarray",
    "torch.tensor",
    "torch.as_tensor",
    "torch.scalar_tensor",
};

bool namesDevice(const ir::Argument& argument) {
    return argument.as<ir::DeviceArgument>() != nullptr;
}

/// Whether it creates a tensor without naming a device.
bool takesDefaultDevice(const ir::Node& node) {
    const bool isNamed =
        std::ranges::any_of(node.args, namesDevice) ||
        std::ranges::any_of(node.kwargs, [](const ir::KeywordArgument& keyword) {
            return keyword.name == "device" && keyword.value.as<ir::NoneArgument>() == nullptr;
        });
    return node.op == ir::Opcode::CallFunction && !isNamed &&
           std::ranges::find(constructors, node.target) != constructors.end();
}

void tellDevice(ir::Node& node, const ir::Device& device) {
    std::erase_if(node.kwargs, [](const ir::KeywordArgument& keyword) { return keyword.name == "device"; });
    node.kwargs.push_back({"device", ir::DeviceArgument{device}});
}

/// A device, or its name where a call takes one: "cpu" is hardly anything else.
ir::Argument moved(const ir::Argument& leaf, const ir::Device& device) {
    const auto* named = leaf.as<ir::DeviceArgument>();
    if (named != nullptr && named->device.type == cpu) {
        return ir::DeviceArgument{device};
    }
    const auto* text = leaf.as<std::string>();
    if (text != nullptr && *text == cpu) {
        return device.type;
    }
    return leaf;
}

ir::Node moved(ir::Node node, const ir::Device& device) {
    ir::forEachArgument(node, [&](ir::Argument& argument) {
        argument = ir::mapLeaves(argument, [&](const ir::Argument& leaf) { return moved(leaf, device); });
    });
    if (node.op == ir::Opcode::CallMethod && node.target == cpu) {
        node.target = "to";
        node.args.emplace_back(ir::DeviceArgument{device});
    }
    if (takesDefaultDevice(node)) {
        tellDevice(node, device);
    }
    return node;
}

} // namespace

ir::GraphPtr movedProgram(const ir::Graph& program, const ir::Device& device) {
    ir::GraphBuilder result(program);
    for (const ir::NodeId id : program.order()) {
        result.replace(id, moved(program.node(id), device));
    }
    for (auto& [name, graph] : result.editSubgraphs()) {
        graph = movedProgram(*graph, device);
    }
    return result.finish();
}

} // namespace aotscope::passes
