#include "fake/size_candidates.h"

#include "fake/fake_tensor.h"

#include <ATen/WrapDimUtils.h>
#include <ATen/core/enum_tag.h>

#include <algorithm>
#include <string_view>

namespace aotscope::torch {

namespace {

/// Reorders sizes like the dimensions of a transposing view.
void reorder(std::string_view name, c10::ArrayRef<c10::IValue> arguments, SymbolicSizes& sizes) {
    const auto dims = static_cast<std::int64_t>(sizes.size());
    const auto wrapped = [&](const c10::IValue& dim) {
        return static_cast<std::size_t>(c10::maybe_wrap_dim(dim.toInt(), dims));
    };
    if (name == "aten::t" && dims == 2) {
        std::swap(sizes[0], sizes[1]);
    } else if (name == "aten::transpose" && dims > 0) {
        std::swap(sizes[wrapped(arguments[1])], sizes[wrapped(arguments[2])]);
    } else if (name == "aten::permute") {
        SymbolicSizes moved;
        for (const c10::IValue& dim : arguments[1].toListRef()) {
            moved.push_back(sizes[wrapped(dim)]);
        }
        sizes = std::move(moved);
    }
}

/// Leaves out dimensions of one element, or adds one, as squeeze and unsqueeze do.
void squeeze(const c10::OperatorName& op, c10::ArrayRef<c10::IValue> arguments, SymbolicSizes& sizes,
             SymbolicSizes& strides) {
    const auto dims = static_cast<std::int64_t>(sizes.size());
    if (op.name == "aten::unsqueeze") {
        const std::int64_t dim = c10::maybe_wrap_dim(arguments[1].toInt(), dims + 1);
        const auto at = static_cast<std::size_t>(dim);
        strides.insert(strides.begin() + dim, dim < dims ? sizes[at] * strides[at] : c10::SymInt(1));
        sizes.insert(sizes.begin() + dim, 1);
        return;
    }
    std::vector<bool> meant(sizes.size(), op.overload_name.empty());
    const auto mean = [&](std::int64_t dim) {
        if (dims > 0) {
            meant[static_cast<std::size_t>(c10::maybe_wrap_dim(dim, dims))] = true;
        }
    };
    if (op.overload_name == "dim") {
        mean(arguments[1].toInt());
    } else if (op.overload_name == "dims") {
        for (const std::int64_t dim : arguments[1].toIntVector()) {
            mean(dim);
        }
    }
    for (std::int64_t dim = dims; dim-- > 0;) {
        const auto at = static_cast<std::size_t>(dim);
        if (meant[at] && sampledValue(sizes[at], 0) == 1) {
            sizes.erase(sizes.begin() + dim);
            strides.erase(strides.begin() + dim);
        }
    }
}

/// For how many results, or items of a list result, the shape function is called.
std::size_t resultCount(const FakeCall& call) {
    const c10::FunctionSchema& schema = call.op.schema();
    if (call.op.operator_name().name == "aten::unbind") {
        const auto sizes = call.tensor().sym_sizes();
        return static_cast<std::size_t>(sampledValue(sizes[call.dimension(1, sizes.size())], 0));
    }
    return schema.returns().size();
}

} // namespace

SizeCandidates::SizeCandidates(const FakeCall& call) : m_broadcasts(call.op.hasTag(at::Tag::pointwise)) {
    const std::string_view name = call.op.operator_name().name;
    if (const auto shape = operatorModel(call.op).shape) {
        for (std::size_t i = 0; i < resultCount(call); ++i) {
            m_shapes.push_back(shape(call, i));
        }
    }
    SymbolicShape asked;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
        add(call.arguments[i], call.environment);
        const std::string& argument = call.op.schema().arguments()[i].name();
        if ((argument == "size" || argument == "input_sizes") && call.arguments[i].isList()) {
            asked.sizes = call.numbers(i);
            inferOpenSize(call, asked.sizes);
        } else if (argument == "stride" && name.ends_with("_strided")) {
            asked.strides = call.numbers(i);
        }
    }
    if (m_shapes.empty()) {
        m_shapes.push_back(std::move(asked));
    }
    if (!m_tensors.empty()) {
        reorder(name, call.arguments, m_tensors.front());
    }
    const c10::IValue* first = call.arguments.empty() ? nullptr : &call.arguments[0];
    if (first != nullptr && first->isTensor() && asFake(first->toTensor()) != nullptr) {
        m_viewStrides = call.tensor().sym_strides().vec();
        reorder(name, call.arguments, m_viewStrides);
        if (name == "aten::squeeze" || name == "aten::unsqueeze") {
            squeeze(call.op.operator_name(), call.arguments, m_tensors.front(), m_viewStrides);
        }
    }
}

const SymbolicShape& SizeCandidates::shapeOf(std::size_t result) const {
    static const SymbolicShape unknown;
    return result < m_shapes.size() ? m_shapes[result] : unknown;
}

/// Replaces a requested size of -1 by the elements divided by the other sizes, as a separate symbolic number.
void SizeCandidates::inferOpenSize(const FakeCall& call, SymbolicSizes& asked) {
    c10::SymInt given = 1;
    c10::SymInt* open = nullptr;
    for (c10::SymInt& size : asked) {
        if (sampledValue(size, 0) == -1) {
            open = &size;
        } else {
            given = given * size;
        }
    }
    FakeTensorImpl* viewed =
        open == nullptr || !call.arguments[0].isTensor() ? nullptr : asFake(call.tensor());
    if (viewed == nullptr || sampledValue(given, 0) == 0) {
        return;
    }
    *open = viewed->elements(call.environment) / given;
    if (const SymbolicNode* left = asSymbolic(*open)) {
        *open = call.environment.copyOf(*left);
    }
}

void SizeCandidates::add(const c10::IValue& value, ShapeEnvironment& environment) {
    if (value.isTensor() && value.toTensor().defined()) {
        const at::Tensor& tensor = value.toTensor();
        const auto sizes = tensor.sym_sizes();
        m_tensors.push_back(sizes.vec());
        if (tensor.unsafeGetTensorImpl()->has_symbolic_sizes_strides()) {
            const auto strides = tensor.sym_strides();
            m_all.insert(m_all.end(), sizes.begin(), sizes.end());
            m_all.insert(m_all.end(), strides.begin(), strides.end());
            m_strides.insert(m_strides.end(), strides.begin(), strides.end());
            FakeTensorImpl* fake = asFake(tensor);
            m_all.push_back(fake == nullptr ? tensor.sym_numel() : fake->elements(environment));
        }
    } else if (value.isSymInt()) {
        m_all.push_back(value.toSymInt());
    } else if (value.isList()) {
        for (const c10::IValue& item : value.toListRef()) {
            add(item, environment);
        }
    }
}

SymbolicSizes SizeCandidates::ofDimension(std::size_t dim, std::size_t dims, bool sameRank) const {
    SymbolicSizes found;
    for (const SymbolicSizes& sizes : m_tensors) {
        if (sizes.size() <= dims && dim >= dims - sizes.size() &&
            (!sameRank || m_broadcasts || sizes.size() == dims)) {
            found.push_back(sizes[dim - (dims - sizes.size())]);
        }
    }
    return found;
}

} // namespace aotscope::torch
