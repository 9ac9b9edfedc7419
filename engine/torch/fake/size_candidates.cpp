#include "fake/size_candidates.h"

#include "fake/fake_tensor.h"

#include <ATen/core/enum_tag.h>

namespace aotscope::torch {

namespace {

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
        } else if (argument == "stride" && call.op.operator_name().name.ends_with("_strided")) {
            asked.strides = call.numbers(i);
        }
    }
    if (m_shapes.empty()) {
        m_shapes.push_back(std::move(asked));
    }
    const c10::IValue* first = call.arguments.empty() ? nullptr : &call.arguments[0];
    if (first != nullptr && first->isTensor() && asFake(first->toTensor()) != nullptr) {
        m_firstStrides = call.tensor().sym_strides().vec();
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
