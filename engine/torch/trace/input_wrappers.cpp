#include "trace/input_wrappers.h"

#include "base/mapped.h"
#include "fake/fake_tensor.h"
#include "trace/value_meta.h"

#include "ir/text/descriptor_text.h"

#include <ATen/ops/as_strided.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

namespace aotscope::torch {

namespace {

using aot::ViewOfBase;

const c10::StorageImpl* storageImplOf(const TracedInput& input) {
    return input.value.toTensor().unsafeGetTensorImpl()->unsafe_storage().unsafeGetStorageImpl();
}

/// Numbers objects in the order of their first appearance.
template<typename T>
class Numbers {
public:
    [[nodiscard]] std::size_t of(const T* thing) {
        return m_numbers.try_emplace(thing, m_numbers.size()).first->second;
    }

private:
    std::unordered_map<const T*, std::size_t> m_numbers;
};

/// The symbolic sizes, strides and offsets of the inputs by their text, as the wrapper stores them.
class KnownSizes {
public:
    explicit KnownSizes(const std::vector<TracedInput>& inputs) {
        for (const TracedInput& input : inputs) {
            if (!input.value.isTensor()) {
                continue;
            }
            const at::Tensor& tensor = input.value.toTensor();
            add(tensor.sym_sizes());
            add(tensor.sym_strides());
            add(tensor.sym_storage_offset());
        }
    }

    [[nodiscard]] c10::SymInt of(const ir::SymInt& size) const {
        return size.isSymbolic() ? m_sizes.at(size.text()) : c10::SymInt(size.integer());
    }
    [[nodiscard]] std::vector<c10::SymInt> of(const ir::SymInts& sizes) const {
        return base::mapped(sizes, [&](const ir::SymInt& size) { return of(size); });
    }

private:
    void add(const c10::SymInt& size) {
        if (!size.maybe_as_int()) {
            m_sizes.try_emplace(size.toSymNodeImplUnowned()->str(), size);
        }
    }
    void add(c10::SymIntArrayRef sizes) {
        for (const c10::SymInt& size : sizes) {
            add(size);
        }
    }

    std::map<std::string, c10::SymInt> m_sizes;
};

/// The inputs that are views of a base.
std::vector<std::size_t> inputsOfBase(const aot::AOTSyntheticBaseWrapper& wrapper, std::size_t base) {
    std::vector<std::size_t> inputs;
    for (std::size_t i = 0; i < wrapper.syntheticBaseInfo.size(); ++i) {
        const auto* view = std::get_if<ViewOfBase>(&wrapper.syntheticBaseInfo[i]);
        if (view != nullptr && view->base == base) {
            inputs.push_back(i);
        }
    }
    return inputs;
}

/// One past the last storage element of a tensor, for the hints of its symbols.
std::int64_t endOf(const at::Tensor& tensor) {
    std::int64_t last = sampledValue(tensor.sym_storage_offset(), 0);
    for (std::int64_t d = 0; d < tensor.dim(); ++d) {
        last += (sampledValue(tensor.sym_size(d), 0) - 1) * sampledValue(tensor.sym_stride(d), 0);
    }
    return last + 1;
}

TracedInput makeBase(const std::vector<TracedInput>& inputs, const aot::AOTSyntheticBaseWrapper& wrapper,
                     std::size_t index, ShapeEnvironment& environment) {
    const aot::SyntheticBase& base = wrapper.bases[index];
    const TracedInput& example = inputs[base.ofArgument];
    const std::vector<std::size_t> views = inputsOfBase(wrapper, index);
    TracedInput made;
    made.isLeaf = std::any_of(views.begin(), views.end(), [&](std::size_t i) { return inputs[i].isLeaf; });
    if (base.isViewBase) {
        made.value = example.base;
        made.requiresGrad = example.baseRequiresGrad;
        made.descriptor = ir::ViewBaseAOTInput{example.descriptor};
        return made;
    }
    const at::Tensor tensor = example.value.toTensor();
    std::int64_t end = 0;
    for (const std::size_t view : views) {
        end = std::max(end, endOf(inputs[view].value.toTensor()));
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

std::vector<aot::TracedArgument> describeArguments(const std::vector<TracedInput>& inputs) {
    Numbers<c10::TensorImpl> tensors;
    Numbers<c10::StorageImpl> storages;
    std::vector<aot::TracedArgument> arguments;
    arguments.reserve(inputs.size());
    for (const TracedInput& input : inputs) {
        aot::TracedArgument& argument = arguments.emplace_back();
        argument.name = ir::descriptorText(input.descriptor);
        if (!input.value.isTensor()) {
            continue;
        }
        const at::Tensor& tensor = input.value.toTensor();
        argument.tensor = aot::TracedTensor{.tensor = tensors.of(tensor.unsafeGetTensorImpl()),
                                            .storage = storages.of(storageImplOf(input)),
                                            .meta = tensorMeta(tensor),
                                            .requiresGrad = input.requiresGrad,
                                            .isView = input.base.defined()};
        if (input.base.defined()) {
            argument.tensor->baseDtype = tensorMeta(input.base).dtype;
        }
    }
    return arguments;
}

std::vector<TracedInput> dedupedInputs(const std::vector<TracedInput>& inputs,
                                       const aot::AOTDedupeWrapper& wrapper) {
    std::vector<TracedInput> left;
    std::set<const c10::TensorImpl*> seen;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!wrapper.keepArgMask.empty() && !wrapper.keepArgMask[i]) {
            continue;
        }
        left.push_back(inputs[i]);
        if (inputs[i].value.isTensor() &&
            !seen.insert(inputs[i].value.toTensor().unsafeGetTensorImpl()).second) {
            left.back().value = c10::IValue(at::Tensor(
                asFake(inputs[i].value.toTensor())->shallow_copy_and_detach(c10::VariableVersion(0), true)));
        }
    }
    return left;
}

TracedProgram withDuplicates(TracedProgram program, const aot::AOTDedupeWrapper& wrapper) {
    return [program = std::move(program), map = wrapper.addDupeMap](std::vector<c10::IValue> arguments) {
        auto all = base::mapped(map, [&](const std::size_t index) { return arguments.at(index); });
        return program(std::move(all));
    };
}

std::vector<TracedInput> inputsWithBases(const std::vector<TracedInput>& inputs,
                                         const aot::AOTSyntheticBaseWrapper& wrapper,
                                         ShapeEnvironment& environment) {
    std::vector<TracedInput> made(inputs.size());
    for (std::size_t base = 0; base < wrapper.bases.size(); ++base) {
        made[base] = makeBase(inputs, wrapper, base, environment);
    }
    std::size_t count = wrapper.bases.size();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (const auto* index = std::get_if<std::size_t>(&wrapper.syntheticBaseInfo[i])) {
            made.at(*index) = inputs[i];
            ++count;
        }
    }
    made.resize(count);
    return made;
}

TracedProgram viewedOnBases(TracedProgram program, const aot::AOTSyntheticBaseWrapper& wrapper,
                            const std::vector<TracedInput>& inputs) {
    return [program = std::move(program), wrapper,
            sizes = KnownSizes(inputs)](const std::vector<c10::IValue>& arguments) {
        std::vector<c10::IValue> unpacked;
        for (const auto& argument : wrapper.syntheticBaseInfo) {
            if (const auto* index = std::get_if<std::size_t>(&argument)) {
                unpacked.push_back(arguments.at(*index));
                continue;
            }
            const auto& view = std::get<ViewOfBase>(argument);
            unpacked.emplace_back(arguments.at(view.base).toTensor().as_strided_symint(
                sizes.of(view.size), sizes.of(view.stride), sizes.of(view.storageOffset)));
        }
        std::vector<c10::IValue> outputs = program(unpacked);
        for (const std::size_t index : wrapper.aliasedArgIdxWithMetadataMutations) {
            outputs.push_back(unpacked[index]);
        }
        return outputs;
    };
}

void describeBases(const aot::AOTSyntheticBaseWrapper& wrapper, ir::ViewAndMutationMeta& meta) {
    for (std::size_t base = 0; base < wrapper.bases.size(); ++base) {
        const std::vector<std::size_t> views = inputsOfBase(wrapper, base);
        const auto all = [&](bool ir::InputAliasInfo::*flag) {
            return std::all_of(views.begin(), views.end(),
                               [&](std::size_t index) { return wrapper.oldInputInfo.at(index).*flag; });
        };
        ir::InputAliasInfo& info = meta.inputInfo.at(base);
        info.mutatesData = true;
        info.mutatesMetadata = false;
        info.mutatesStorageMetadata = false;
        info.mutationsHiddenFromAutograd = all(&ir::InputAliasInfo::mutationsHiddenFromAutograd);
        info.mutationsUnderNoGradOrInferenceMode =
            all(&ir::InputAliasInfo::mutationsUnderNoGradOrInferenceMode);
        info.mutationInductorStorageResize = all(&ir::InputAliasInfo::mutationInductorStorageResize);
    }
}

std::vector<std::size_t> movedIndices(const std::vector<std::size_t>& indices,
                                      const aot::AOTSyntheticBaseWrapper& wrapper) {
    std::vector<std::size_t> moved;
    for (const std::size_t index : indices) {
        if (const auto* now = std::get_if<std::size_t>(&wrapper.syntheticBaseInfo.at(index))) {
            moved.push_back(*now);
        }
    }
    return moved;
}

std::vector<std::size_t> movedIndices(const std::vector<std::size_t>& indices,
                                      const aot::AOTDedupeWrapper& wrapper) {
    std::vector<std::size_t> moved;
    for (const std::size_t index : indices) {
        if (wrapper.keepArgMask.at(index)) {
            moved.push_back(wrapper.addDupeMap.at(index));
        }
    }
    return moved;
}

} // namespace aotscope::torch
