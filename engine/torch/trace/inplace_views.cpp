#include "trace/inplace_views.h"

#include <ATen/EmptyTensor.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/core/enum_tag.h>

#include <algorithm>

namespace aotscope::torch {

namespace {

c10::SymInt bytesOf(const at::Tensor& tensor) {
    return at::detail::computeStorageNbytes(tensor.sym_sizes(), tensor.sym_strides(),
                                            tensor.dtype().itemsize(), tensor.sym_storage_offset());
}

} // namespace

InPlaceView::InPlaceView(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments) {
    if (!op.hasTag(at::Tag::inplace_view) || !arguments[0].isTensor() ||
        op.operator_name().name == "aten::detach_") {
        return;
    }
    const at::Tensor& tensor = arguments[0].toTensor();
    if (tensor.unsafeGetTensorImpl()->has_symbolic_sizes_strides()) {
        m_op = op;
        m_numbers.assign(arguments.begin() + 1, arguments.end());
        m_sizes = tensor.sym_sizes().vec();
        m_strides = tensor.sym_strides().vec();
    }
}

void InPlaceView::ask(const at::Tensor& changed) const {
    if (!m_op) {
        return;
    }
    askForGeometry(m_sizes.size());
    for (const c10::SymInt& stride : changed.sym_strides()) {
        static_cast<void>(stride.sym_ge(0));
    }
    const c10::SymInt bytes = bytesOf(changed);
    const c10::SymInt bytesWithOffset = bytesOf(changed);
    static_cast<void>(bytes.sym_eq(0));
    const c10::SymBool isEmpty = bytes.sym_eq(0);
    static_cast<void>(isEmpty.sym_or(bytesWithOffset.sym_le(bytes)));
}

void InPlaceView::askForGeometry(std::size_t dims) const {
    const auto wrapped = [&](const c10::IValue& dim, std::size_t count) {
        return static_cast<std::size_t>(c10::maybe_wrap_dim(dim.toInt(), static_cast<std::int64_t>(count)));
    };
    const std::string& name = m_op->operator_name().name;
    if (name == "aten::unsqueeze_") {
        const std::size_t dim = wrapped(m_numbers.front(), dims + 1);
        if (dim < dims) {
            static_cast<void>(m_sizes[dim] * m_strides[dim]);
        }
    } else if (name == "aten::squeeze_") {
        for (std::size_t d = 0; d < dims; ++d) {
            const bool isMeant =
                m_numbers.empty() || (m_numbers.front().isInt() && wrapped(m_numbers.front(), dims) == d);
            if (isMeant) {
                static_cast<void>(m_sizes[d].sym_ne(1));
            }
        }
    }
}

} // namespace aotscope::torch
