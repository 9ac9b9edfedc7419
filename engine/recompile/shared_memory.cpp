#include "recompile/shared_memory.h"

#include <algorithm>
#include <map>

namespace aotscope::session {

namespace {

std::optional<std::pair<std::int64_t, std::int64_t>> elementsOf(const ir::TensorMeta& tensor,
                                                                std::int64_t offset) {
    if (!tensor.stride || tensor.stride->size() != tensor.shape.size()) {
        return std::nullopt;
    }
    std::int64_t end = offset + 1;
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
        const ir::SymInt& size = tensor.shape[i];
        const ir::SymInt& stride = (*tensor.stride)[i];
        if (size.isSymbolic() || stride.isSymbolic()) {
            return std::nullopt;
        }
        if (size.integer() == 0) {
            return std::pair(offset, offset);
        }
        end += (size.integer() - 1) * stride.integer();
    }
    return std::pair(offset, end);
}

/// The index of the base's input: 3 for SyntheticBaseAOTInput(base_of=PlainAOTInput(idx=3)).
std::optional<std::size_t> baseOf(const ir::Node& placeholder) {
    const ir::AOTInput* input = ir::inputDescriptor(placeholder);
    const bool isBase = input != nullptr && (input->as<ir::SyntheticBaseAOTInput>() != nullptr ||
                                             input->as<ir::ViewBaseAOTInput>() != nullptr);
    return isBase ? ir::flatInputIndex(*input) : std::nullopt;
}

bool liesTheSame(const ir::Graph& program, const aot::RetraceInput& left, ir::NodeId leftNode,
                 const aot::RetraceInput& right, ir::NodeId rightNode) {
    const ir::TensorMeta* one = ir::asTensor(program.node(leftNode).value);
    const ir::TensorMeta* other = ir::asTensor(program.node(rightNode).value);
    return one != nullptr && other != nullptr && left.storageOffset == right.storageOffset &&
           one->shape == other->shape && one->stride == other->stride && one->dtype == other->dtype;
}

} // namespace

std::vector<SharedMemory> sharedInputs(const ir::Graph& program, const std::vector<aot::RetraceInput>& inputs,
                                       const ir::Graph& traced) {
    const std::vector<ir::NodeId> placeholders = program.placeholders();
    std::vector<SharedMemory> groups;
    std::map<std::int64_t, std::size_t> groupOf;
    for (std::size_t i = 0; i < std::min(inputs.size(), placeholders.size()); ++i) {
        const ir::Node& node = program.node(placeholders[i]);
        const ir::TensorMeta* tensor = ir::asTensor(node.value);
        if (inputs[i].storage < 0 || tensor == nullptr) {
            continue;
        }
        const auto [entry, isNew] = groupOf.try_emplace(inputs[i].storage, groups.size());
        if (isNew) {
            groups.emplace_back();
        }
        std::vector<SharedInput>& members = groups[entry->second].inputs;
        SharedInput member{i, node.name, elementsOf(*tensor, inputs[i].storageOffset)};
        const auto same = std::ranges::find_if(members, [&](const SharedInput& other) {
            return liesTheSame(program, inputs[other.index], placeholders[other.index], inputs[i],
                               placeholders[i]);
        });
        if (same != members.end()) {
            member.sameAs = same->index;
        }
        members.push_back(std::move(member));
    }
    std::erase_if(groups, [](const SharedMemory& group) { return group.inputs.size() < 2; });
    for (const ir::NodeId id : traced.placeholders()) {
        const ir::Node& node = traced.node(id);
        const auto of = baseOf(node);
        const auto group = std::ranges::find_if(groups, [&](const SharedMemory& each) {
            return of && std::ranges::find(each.inputs, *of, &SharedInput::index) != each.inputs.end();
        });
        if (group != groups.end()) {
            group->base = node.name;
        }
    }
    return groups;
}

} // namespace aotscope::session
