#include "trace/synthetic_bases.h"

#include "fake/fake_tensor.h"
#include "run/failure.h"

#include "ir/text/descriptor_text.h"

#include <ATen/ops/as_strided.h>

#include <algorithm>
#include <unordered_map>

namespace aotscope::torch {

namespace {

const c10::StorageImpl* storageImplOf(const TracedInput& input) {
    return input.value.toTensor().unsafeGetTensorImpl()->unsafe_storage().unsafeGetStorageImpl();
}

/// First and one past the last element of a tensor's memory, for the logged values of symbols.
std::pair<std::int64_t, std::int64_t> extent(const at::Tensor& tensor) {
    const std::int64_t first = variantValue(tensor.sym_storage_offset(), 0);
    std::int64_t last = first;
    for (std::int64_t d = 0; d < tensor.dim(); ++d) {
        last += (variantValue(tensor.sym_size(d), 0) - 1) * variantValue(tensor.sym_stride(d), 0);
    }
    return {first, last + 1};
}

/// A matrix whose rows have no gaps.
struct Rows {
    explicit Rows(const at::Tensor& tensor) {
        if (tensor.dim() == 2 && variantValue(tensor.sym_stride(1), 0) == 1) {
            length = variantValue(tensor.sym_size(1), 0);
            apart = variantValue(tensor.sym_stride(0), 0);
        }
    }
    std::int64_t length = 0;
    /// From the beginning of one to that of the next; 0: it is no such matrix.
    std::int64_t apart = 0;
};

/// Whether two matrices lie beside each other, as columns of one.
bool areBeside(const at::Tensor& left, const at::Tensor& right) {
    const Rows x(left);
    const Rows y(right);
    const std::int64_t delta = extent(right).first - extent(left).first;
    if (delta < 0) {
        return areBeside(right, left);
    }
    return x.apart > 0 && x.apart == y.apart && delta % x.apart >= x.length &&
           delta % x.apart + y.length <= x.apart;
}

/// Inputs of one storage that really share memory with another of them: those in rows or columns of their
/// own do not.
std::vector<std::size_t> overlapping(const std::vector<TracedInput>& inputs,
                                     const std::vector<std::size_t>& group) {
    std::vector<std::size_t> found;
    for (const std::size_t a : group) {
        const auto [firstA, endA] = extent(inputs[a].value.toTensor());
        const bool shared =
            std::any_of(group.begin(), group.end(), [&, first = firstA, end = endA](std::size_t b) {
                const auto [firstB, endB] = extent(inputs[b].value.toTensor());
                return a != b && first < endB && firstB < end &&
                       !areBeside(inputs[a].value.toTensor(), inputs[b].value.toTensor());
            });
        if (shared) {
            found.push_back(a);
        }
    }
    return found;
}

void checkViews(const std::vector<TracedInput>& inputs, const std::vector<std::size_t>& group,
                bool inference) {
    for (std::size_t i = 0; i + 1 < group.size(); ++i) {
        const TracedInput& left = inputs[group[i]];
        const TracedInput& right = inputs[group[i + 1]];
        const bool related = left.base.defined() || right.base.defined();
        if (!inference && !related) {
            fail("trace.alias",
                 "The inputs " + ir::descriptorText(left.descriptor) + " and " +
                     ir::descriptorText(right.descriptor) +
                     " share memory without being views of one tensor, and one of them is mutated: "
                     "aot_autograd() does not yet handle non-differentiable view input mutations.");
        }
        if (left.value.toTensor().dtype() != right.value.toTensor().dtype()) {
            fail("trace.alias",
                 "The inputs " + ir::descriptorText(left.descriptor) + " and " +
                     ir::descriptorText(right.descriptor) +
                     " share memory with different dtypes, and one of them is mutated: PyTorch does "
                     "not handle that.");
        }
    }
}

TracedInput baseOf(const std::vector<TracedInput>& inputs, const std::vector<std::size_t>& group,
                   ShapeEnvironment& environment) {
    TracedInput made;
    made.isLeaf = std::any_of(group.begin(), group.end(), [&](std::size_t i) { return inputs[i].isLeaf; });
    const auto view =
        std::find_if(group.begin(), group.end(), [&](std::size_t i) { return inputs[i].base.defined(); });
    if (view != group.end()) {
        made.value = inputs[*view].base;
        made.requiresGrad = inputs[*view].baseRequiresGrad;
        made.descriptor = ir::ViewBaseAOTInput{inputs[*view].descriptor};
        return made;
    }
    const TracedInput& example = inputs[group.front()];
    const at::Tensor tensor = example.value.toTensor();
    std::int64_t end = 0;
    for (const std::size_t index : group) {
        end = std::max(end, extent(inputs[index].value.toTensor()).second);
    }
    const auto bytes =
        static_cast<std::int64_t>(storageImplOf(example)->sym_nbytes().maybe_as_int().value_or(0));
    const auto width = static_cast<std::int64_t>(tensor.dtype().itemsize());
    made.value = makeFakeView(tensor, std::vector<c10::SymInt>{std::max(bytes / width, end)},
                              std::vector<c10::SymInt>{1}, 0, environment);
    made.descriptor = ir::SyntheticBaseAOTInput{example.descriptor};
    return made;
}

} // namespace

std::optional<MergedInputs> mergeViewInputs(const std::vector<TracedInput>& inputs,
                                            const ir::ViewAndMutationMeta& meta, bool inference,
                                            ShapeEnvironment& environment) {
    // In the order in which their first inputs come.
    std::vector<std::vector<std::size_t>> groups;
    std::unordered_map<const c10::StorageImpl*, std::size_t> groupOf;
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!inputs[i].value.isTensor()) {
            others.push_back(i);
            continue;
        }
        const auto [group, isNew] = groupOf.try_emplace(storageImplOf(inputs[i]), groups.size());
        if (isNew) {
            groups.emplace_back();
        }
        groups[group->second].push_back(i);
    }
    MergedInputs merged;
    merged.newIndex.resize(inputs.size());
    std::vector<std::optional<std::size_t>> baseIndex(inputs.size());
    for (const std::vector<std::size_t>& group : groups) {
        const bool mutated = std::any_of(group.begin(), group.end(),
                                         [&](std::size_t i) { return meta.inputInfo[i].mutatesData; });
        if (group.size() <= 1 || !mutated || overlapping(inputs, group).size() <= 1) {
            others.insert(others.end(), group.begin(), group.end());
            continue;
        }
        checkViews(inputs, group, inference);
        for (const std::size_t i : group) {
            baseIndex[i] = merged.inputs.size();
        }
        merged.inputs.push_back(baseOf(inputs, group, environment));
        merged.groups.push_back(group);
    }
    if (merged.inputs.empty()) {
        return std::nullopt;
    }
    for (const std::size_t i : others) {
        merged.newIndex[i] = merged.inputs.size();
        merged.inputs.push_back(inputs[i]);
    }
    std::vector<TracedInput> originals = inputs;
    merged.unpack = [originals = std::move(originals), baseIndex,
                     newIndex = merged.newIndex](std::vector<c10::IValue> arguments) {
        std::vector<c10::IValue> unpacked;
        for (std::size_t i = 0; i < originals.size(); ++i) {
            if (newIndex[i]) {
                unpacked.push_back(arguments.at(*newIndex[i]));
                continue;
            }
            const at::Tensor view = originals[i].value.toTensor();
            unpacked.emplace_back(
                arguments.at(*baseIndex[i])
                    .toTensor()
                    .as_strided_symint(view.sym_sizes(), view.sym_strides(), view.sym_storage_offset()));
        }
        return unpacked;
    };
    return merged;
}

void describeBases(const MergedInputs& merged, const std::vector<ir::InputAliasInfo>& before,
                   ir::ViewAndMutationMeta& meta) {
    for (std::size_t i = 0; i < merged.groups.size(); ++i) {
        const auto all = [&](bool ir::InputAliasInfo::*flag) {
            return std::all_of(merged.groups[i].begin(), merged.groups[i].end(),
                               [&](std::size_t index) { return before.at(index).*flag; });
        };
        ir::InputAliasInfo& info = meta.inputInfo.at(i);
        info.mutatesData = true;
        info.mutatesMetadata = false;
        info.mutatesStorageMetadata = false;
        info.mutationsHiddenFromAutograd = all(&ir::InputAliasInfo::mutationsHiddenFromAutograd);
        info.mutationsUnderNoGradOrInferenceMode =
            all(&ir::InputAliasInfo::mutationsUnderNoGradOrInferenceMode);
        info.mutationInductorStorageResize = all(&ir::InputAliasInfo::mutationInductorStorageResize);
    }
}

} // namespace aotscope::torch
