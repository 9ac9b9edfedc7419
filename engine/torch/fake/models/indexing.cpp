#include "fake/models/symbolic_shapes.h"

#include <algorithm>

/// Elements chosen by tensors of indices.
namespace aotscope::torch::symbolic {

namespace {

using Indices = std::vector<std::optional<at::Tensor>>;

bool isMask(const at::Tensor& index) {
    return index.scalar_type() == c10::kBool || index.scalar_type() == c10::kByte;
}

/// What the indices broadcast to: where a size is 1, that of the others.
SymbolicSizes commonSizes(const Indices& indices) {
    SymbolicSizes common;
    for (const std::optional<at::Tensor>& index : indices) {
        if (!index || !index->defined()) {
            continue;
        }
        const auto sizes = index->sym_sizes();
        if (sizes.size() > common.size()) {
            common.insert(common.begin(), sizes.size() - common.size(), c10::SymInt(1));
        }
        for (std::size_t back = 1; back <= sizes.size(); ++back) {
            c10::SymInt& size = common[common.size() - back];
            size = isOne(size) ? sizes[sizes.size() - back] : size;
        }
    }
    return common;
}

} // namespace

/// The sizes of the indices in place of the indexed dimensions, or in front if these are no neighbours.
/// Follows torch 2.15, torch/_meta_registrations.py: meta_index_Tensor.
SymbolicShape indexed(const FakeCall& call, std::size_t /*result*/) {
    const Indices indices = call["indices"].to<Indices>();
    const auto isGiven = [](const std::optional<at::Tensor>& index) { return index && index->defined(); };
    const bool needsData = std::ranges::any_of(
        indices, [&](const std::optional<at::Tensor>& index) { return isGiven(index) && isMask(*index); });
    const SymbolicSizes self = call.sizes();
    if (needsData || indices.size() > self.size()) {
        return {};
    }
    const SymbolicSizes common = commonSizes(indices);
    const auto first = std::ranges::find_if(indices, isGiven);
    const auto end = std::find_if_not(first, indices.end(), isGiven);
    const bool areNeighbours = std::none_of(end, indices.end(), isGiven);
    const std::size_t place = areNeighbours ? static_cast<std::size_t>(first - indices.begin()) : 0;
    SymbolicSizes sizes;
    for (std::size_t dim = 0; dim < self.size(); ++dim) {
        if (dim >= indices.size() || !isGiven(indices[dim])) {
            sizes.push_back(self[dim]);
        }
    }
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(std::min(place, sizes.size())), common.begin(),
                 common.end());
    return {std::move(sizes), {}, {}};
}

} // namespace aotscope::torch::symbolic
