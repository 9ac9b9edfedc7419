#include "fake/operator_model.h"

#include "base/mapped.h"

#include <ATen/WrapDimUtils.h>

#include <algorithm>

namespace aotscope::torch {

const c10::IValue& FakeCall::operator[](std::string_view name) const {
    const auto index = op.schema().argumentIndexWithName(name);
    TORCH_CHECK(index.has_value(), op.schema().name(), " has no argument ", name);
    return arguments[static_cast<std::size_t>(*index)];
}

SymbolicSizes FakeCall::numbers(std::size_t argument) const {
    const c10::IValue& given = arguments[argument];
    return given.isList()
               ? base::mapped(given.toListRef(), [](const c10::IValue& item) { return item.toSymInt(); })
               : SymbolicSizes();
}

SymbolicSizes contiguousStrides(const SymbolicSizes& sizes) {
    SymbolicSizes strides(sizes.size());
    c10::SymInt next = 1;
    for (std::size_t d = sizes.size(); d-- > 0;) {
        strides[d] = next;
        next = next * sizes[d].max(1);
    }
    return strides;
}

std::size_t dimensionIndex(std::int64_t dim, std::size_t dims) {
    return static_cast<std::size_t>(
        c10::maybe_wrap_dim(dim, static_cast<std::int64_t>(std::max<std::size_t>(dims, 1))));
}

} // namespace aotscope::torch
