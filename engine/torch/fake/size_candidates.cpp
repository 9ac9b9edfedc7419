#include "fake/size_candidates.h"

#include "fake/computed_sizes.h"
#include "fake/derived_strides.h"
#include "fake/fake_tensor.h"

#include <ATen/WrapDimUtils.h>
#include <ATen/core/enum_tag.h>

#include <algorithm>
#include <string_view>

namespace aotscope::torch {

namespace {

/// Moves sizes as a view that only reorders dimensions does.
void reorder(std::string_view name, c10::ArrayRef<c10::IValue> arguments, std::vector<c10::SymInt>& sizes) {
    const auto dims = static_cast<std::int64_t>(sizes.size());
    const auto wrapped = [&](const c10::IValue& dim) {
        return static_cast<std::size_t>(c10::maybe_wrap_dim(dim.toInt(), dims));
    };
    if (name == "aten::t" && dims == 2) {
        std::swap(sizes[0], sizes[1]);
    } else if (name == "aten::transpose" && dims > 0) {
        std::swap(sizes[wrapped(arguments[1])], sizes[wrapped(arguments[2])]);
    } else if (name == "aten::permute") {
        std::vector<c10::SymInt> moved;
        for (const c10::IValue& dim : arguments[1].toListRef()) {
            moved.push_back(sizes[wrapped(dim)]);
        }
        sizes = std::move(moved);
    }
}

/// Leaves out dimensions of one element, or adds one, as squeeze and unsqueeze do.
void squeeze(const c10::OperatorName& op, c10::ArrayRef<c10::IValue> arguments,
             std::vector<c10::SymInt>& sizes, std::vector<c10::SymInt>& strides) {
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
        if (meant[at] && variantValue(sizes[at], 0) == 1) {
            sizes.erase(sizes.begin() + dim);
            strides.erase(strides.begin() + dim);
        }
    }
}

} // namespace

SizeCandidates::SizeCandidates(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments,
                               ShapeEnvironment& environment)
    : m_windows(windowSizes(op, arguments, environment)), m_broadcasts(op.hasTag(at::Tag::pointwise)) {
    const std::string_view name = op.operator_name().name;
    for (const c10::SymInt& size : m_windows.sizes) {
        if (asSymbolic(size) != nullptr) {
            m_all.push_back(size);
        }
    }
    m_given = computedSizes(op, arguments);
    m_givenStrides = computedStrides(op, arguments);
    if (m_givenStrides.empty()) {
        m_givenStrides = derivedStrides(op, arguments);
    }
    FurtherResult further = furtherResult(op, arguments);
    m_further = {std::move(further.sizes), std::move(further.strides)};
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        add(arguments[i], environment);
        const std::string& argument = op.schema().arguments()[i].name();
        if ((argument == "size" || argument == "input_sizes") && arguments[i].isList()) {
            for (const c10::IValue& size : arguments[i].toListRef()) {
                m_given.push_back(size.toSymInt());
            }
            inferOpenSize(arguments, environment);
        } else if (argument == "stride" && name.ends_with("_strided")) {
            for (const c10::IValue& stride : arguments[i].toListRef()) {
                m_givenStrides.push_back(stride.toSymInt());
            }
        }
    }
    if (!m_tensors.empty()) {
        reorder(name, arguments, m_tensors.front());
    }
    if (!arguments.empty() && arguments[0].isTensor() && asFake(arguments[0].toTensor()) != nullptr) {
        m_viewStrides = arguments[0].toTensor().sym_strides().vec();
        reorder(name, arguments, m_viewStrides);
        if (name == "aten::squeeze" || name == "aten::unsqueeze") {
            squeeze(op.operator_name(), arguments, m_tensors.front(), m_viewStrides);
        }
    }
    if (name == "aten::index_select" && m_tensors.size() == 2) {
        const auto dims = static_cast<std::int64_t>(std::max<std::size_t>(m_tensors.front().size(), 1));
        if (FakeTensorImpl* index = asFake(arguments[2].toTensor())) {
            m_indexed.emplace(static_cast<std::size_t>(c10::maybe_wrap_dim(arguments[1].toInt(), dims)),
                              index->elements(environment));
        }
    }
}

/// A size of -1 that a view is asked for is what the others leave of the elements, a number of its own.
void SizeCandidates::inferOpenSize(c10::ArrayRef<c10::IValue> arguments, ShapeEnvironment& environment) {
    c10::SymInt given = 1;
    c10::SymInt* open = nullptr;
    for (c10::SymInt& size : m_given) {
        if (variantValue(size, 0) == -1) {
            open = &size;
        } else {
            given = given * size;
        }
    }
    FakeTensorImpl* viewed =
        open == nullptr || !arguments[0].isTensor() ? nullptr : asFake(arguments[0].toTensor());
    if (viewed == nullptr || variantValue(given, 0) == 0) {
        return;
    }
    *open = viewed->elements(environment) / given;
    if (const SymbolicNode* left = asSymbolic(*open)) {
        *open = environment.copyOf(*left);
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

std::vector<c10::SymInt> SizeCandidates::likely(std::size_t dim, std::size_t dims, bool sure) const {
    std::vector<c10::SymInt> likely;
    if (dim >= m_windows.first && dim - m_windows.first < m_windows.sizes.size()) {
        likely.push_back(m_windows.sizes[dim - m_windows.first]);
    }
    if (m_given.size() == dims) {
        likely.push_back(m_given[dim]);
    } else if (m_further.first.size() == dims) {
        likely.push_back(m_further.first[dim]);
    }
    if (m_indexed && m_indexed->first == dim) {
        likely.push_back(m_indexed->second);
    }
    for (const std::vector<c10::SymInt>& sizes : m_tensors) {
        // Counted from the last dimension, as operands are broadcast.
        if (sizes.size() <= dims && dim >= dims - sizes.size() &&
            (!sure || m_broadcasts || sizes.size() == dims)) {
            likely.push_back(sizes[dim - (dims - sizes.size())]);
        }
    }
    return likely;
}

} // namespace aotscope::torch
