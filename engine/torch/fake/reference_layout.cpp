#include "fake/reference_layout.h"

#include "base/mapped.h"
#include "fake/operator_model.h"

#include <ATen/EmptyTensor.h>
#include <ATen/MemoryOverlap.h>
#include <c10/core/Contiguity.h>

#include <algorithm>
#include <numeric>

namespace aotscope::torch::reference {

namespace {

void ask(const c10::SymBool& /*question*/) {}

void askNonnegative(const Sizes& sizes) {
    for (const c10::SymInt& size : sizes) {
        ask(size.sym_ge(0));
    }
}

/// Whether a size is 1 or the same as another.
void askOneOrSame(const c10::SymInt& size, const c10::SymInt& other) {
    const c10::SymBool isOne = size.sym_eq(1);
    const c10::SymBool same = other.sym_eq(size);
    ask(isOne.sym_or(same));
}

void askSameShapes(const std::vector<Layout>& layouts) {
    for (const Layout& layout : layouts) {
        sameShape(layouts.front().sizes(), layout.sizes());
    }
}

c10::SymInt product(const Sizes& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), c10::SymInt(1), std::multiplies<c10::SymInt>());
}

} // namespace

bool orFalse(const c10::SymBool& question) {
    return question.guard_or_false(__FILE__, __LINE__);
}

bool orTrue(const c10::SymBool& question) {
    return question.guard_or_true(__FILE__, __LINE__);
}

Layout::Layout(at::Tensor tensor) : m_tensor(std::move(tensor)), m_sizes(m_tensor.sym_sizes().vec()) {}

const Sizes& Layout::strides() const {
    if (!m_read->strides) {
        m_read->strides = m_tensor.sym_strides().vec();
    }
    return *m_read->strides;
}

const c10::SymInt& Layout::elements() const {
    if (!m_read->elements) {
        m_read->elements = m_tensor.defined() ? m_tensor.sym_numel() : product(m_sizes);
    }
    return *m_read->elements;
}

c10::SymBool isLess(const c10::SymInt& left, const c10::SymInt& right) {
    return !left.is_symbolic() && right.is_symbolic() ? right.sym_gt(left) : left.sym_lt(right);
}

c10::SymBool isAtMost(const c10::SymInt& left, const c10::SymInt& right) {
    return !left.is_symbolic() && right.is_symbolic() ? right.sym_ge(left) : left.sym_le(right);
}

bool sameShape(const Sizes& left, const Sizes& right) {
    return left.size() == right.size() &&
           std::equal(left.begin(), left.end(), right.begin(),
                      [](const c10::SymInt& a, const c10::SymInt& b) { return orFalse(a.sym_eq(b)); });
}

bool isContiguous(const Layout& layout) {
    if (orFalse(layout.elements().sym_lt(2))) {
        return true;
    }
    c10::SymInt expected = 1;
    c10::SymInt expectedAtLeastOne = 1;
    for (std::size_t d = layout.dims(); d-- > 0;) {
        const c10::SymInt& size = layout.sizes()[d];
        const c10::SymInt& stride = layout.strides()[d];
        if (orFalse(size.sym_eq(1))) {
            continue;
        }
        if (orTrue(stride.sym_ne(expected)) && orTrue(stride.sym_ne(expectedAtLeastOne))) {
            return false;
        }
        expectedAtLeastOne = expectedAtLeastOne * size.max(1);
        expected = expected * size;
    }
    return true;
}

at::Tensor contiguous(const at::Tensor& tensor) {
    return isContiguous(Layout(tensor)) ? tensor : tensor.clone(at::MemoryFormat::Contiguous);
}

namespace {

/// Whether a size equals the common size of its dimension or is 1; a common size of 1 takes the other.
bool matches(const c10::SymInt& size, c10::SymInt& common) {
    if (orFalse(size.sym_eq(common))) {
        return true;
    }
    if (orFalse(common.sym_eq(1))) {
        ask(size.sym_lt(0));
        common = size;
    }
    return orFalse(size.sym_eq(1));
}

/// Strides without gaps; `order` lists the dimensions from the outermost to the innermost.
Sizes stridesInOrder(const Sizes& sizes, const std::vector<std::int64_t>& order) {
    Sizes strides(sizes.size());
    c10::SymInt next = 1;
    for (std::size_t i = order.size(); i-- > 0;) {
        const auto d = static_cast<std::size_t>(order[i]);
        strides[d] = next;
        next = i > 0 ? next * sizes[d].max(1) : next;
    }
    return strides;
}

/// New memory; `order` lists the dimensions from the outermost to the innermost.
Layout emptyPermuted(const Sizes& sizes, const std::vector<std::int64_t>& order, std::int64_t itemSize) {
    Sizes physical;
    for (const std::int64_t d : order) {
        physical.push_back(sizes[static_cast<std::size_t>(d)]);
        ask(physical.back().sym_ge(0));
    }
    static_cast<void>(c10::SymInt(itemSize) * (c10::SymInt(0) + product(physical)));
    return {sizes, stridesInOrder(sizes, order)};
}

/// `should_expand` of `_maybe_broadcast`
bool mustExpand(const Sizes& sizes, const Sizes& common) {
    if (sizes.size() != common.size()) {
        return true;
    }
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (orFalse(sizes[d].sym_ne(common[d]))) {
            return true;
        }
        const c10::SymBool isOne = sizes[d].sym_eq(1);
        const c10::SymBool isOther = common[d].sym_eq(1);
        if (!orFalse(isOne.sym_and(isOther))) {
            const c10::SymBool one = sizes[d].sym_eq(1);
            const c10::SymBool other = common[d].sym_eq(1);
            if (orFalse(one.sym_or(other))) {
                return true;
            }
        }
        ask(sizes[d].sym_eq(common[d]));
    }
    return false;
}

Layout expanded(const Layout& layout, const Sizes& common) {
    const std::size_t lead = common.size() - layout.dims();
    Sizes strides(common.size(), 0);
    for (std::size_t d = 0; d < layout.dims(); ++d) {
        const c10::SymInt& size = common[lead + d];
        ask(size.sym_eq(-1));
        askOneOrSame(layout.sizes()[d], size);
        ask(size.sym_ge(0));
    }
    askNonnegative(common);
    for (std::size_t d = 0; d < layout.dims(); ++d) {
        askOneOrSame(layout.sizes()[d], common[lead + d]);
    }
    for (std::size_t d = 0; d < common.size(); ++d) {
        if (d < lead) {
            ask(common[d].sym_ne(1));
        } else if (!orFalse(layout.sizes()[d - lead].sym_eq(1))) {
            ask(layout.sizes()[d - lead].sym_eq(common[d]));
            strides[d] = layout.strides()[d - lead];
        } else if (orFalse(layout.sizes()[d - lead].sym_eq(common[d]))) {
            strides[d] = layout.strides()[d - lead];
        }
    }
    return {common, std::move(strides)};
}

} // namespace

Sizes broadcastShapes(const std::vector<Sizes>& shapes) {
    std::size_t dims = 0;
    for (const Sizes& shape : shapes) {
        dims = std::max(dims, shape.size());
    }
    Sizes common(dims, 1);
    for (const Sizes& shape : shapes) {
        for (std::size_t back = 1; back <= shape.size(); ++back) {
            const c10::SymInt& size = shape[shape.size() - back];
            c10::SymInt& place = common[dims - back];
            if (!matches(size, place)) {
                ask(place.sym_eq(size));
            }
        }
    }
    return common;
}

Layout emptyLike(const Layout& layout, std::int64_t itemSize) {
    return emptyPermuted(layout.sizes(), memoryOrder({layout}), itemSize);
}

Layout elementwise(const std::vector<Layout>& operands, std::int64_t itemSize) {
    askSameShapes(operands);
    const std::vector<std::int64_t> order = memoryOrder(operands);
    askSameShapes(operands);
    return emptyPermuted(operands.front().sizes(), order, itemSize);
}

std::vector<Layout> broadcast(const std::vector<Layout>& operands) {
    const auto shapes = base::mapped(operands, [](const Layout& operand) { return operand.sizes(); });
    const Sizes common = broadcastShapes(shapes);
    return base::mapped(operands, [&](const Layout& operand) {
        return mustExpand(operand.sizes(), common) ? expanded(operand, common) : operand;
    });
}

std::vector<at::Tensor> broadcastTensors(const std::vector<at::Tensor>& tensors) {
    const auto shapes =
        base::mapped(tensors, [](const at::Tensor& tensor) { return tensor.sym_sizes().vec(); });
    const Sizes common = broadcastShapes(shapes);
    std::vector<at::Tensor> alike;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const bool isNumber = tensors[i].dim() == 0 && tensors[i].is_cpu();
        alike.push_back(!isNumber && mustExpand(shapes[i], common) ? tensors[i].expand_symint(common)
                                                                   : tensors[i]);
    }
    return alike;
}

void askElementwiseStrides(const std::vector<Layout>& operands, const at::Tensor& result) {
    const std::vector<Layout> alike = broadcast(operands);
    const Sizes& sizes = alike.front().sizes();
    askSameShapes(alike);
    if (sizes.size() < 2) {
        return;
    }
    const std::vector<std::int64_t> order = memoryOrder(alike, /*sameShapes=*/true);
    for (const std::int64_t d : order) {
        ask(sizes[static_cast<std::size_t>(d)].sym_ge(0));
    }
    sameShape(result.sym_strides().vec(), stridesInOrder(sizes, order));
}

Layout broadcastElementwise(const std::vector<Layout>& operands, std::int64_t itemSize) {
    return elementwise(broadcast(operands), itemSize);
}

Layout empty(const Sizes& sizes, std::int64_t itemSize) {
    std::vector<std::int64_t> order(sizes.size());
    std::iota(order.begin(), order.end(), 0);
    return emptyPermuted(sizes, order, itemSize);
}

Layout emptyStrided(Sizes sizes, Sizes strides, std::int64_t itemSize) {
    askNonnegative(sizes);
    static_cast<void>(at::detail::computeStorageNbytes(
        c10::SymIntArrayRef(sizes), c10::SymIntArrayRef(strides), c10::SymInt(itemSize), c10::SymInt(0)));
    return {std::move(sizes), std::move(strides)};
}

Layout newStrided(const Sizes& sizes, std::int64_t itemSize) {
    askNonnegative(sizes);
    return emptyStrided(sizes, contiguousStrides(sizes), itemSize);
}

Layout arange(const c10::SymInt& end, std::int64_t itemSize) {
    ask(end.sym_ge(0));
    const c10::SymInt length = (end - 0 + 1 - 1) / 1;
    return empty({length}, itemSize);
}

Layout unsqueeze(const Layout& layout, std::size_t dim) {
    Sizes sizes = layout.sizes();
    Sizes strides = layout.strides();
    const auto place = static_cast<std::ptrdiff_t>(dim);
    for (const c10::SymInt& size : sizes) {
        askOneOrSame(size, size);
    }
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (d == dim) {
            strides.insert(strides.begin() + place, strides[d] * sizes[d]);
        }
        orFalse(sizes[d].sym_eq(1));
        ask(sizes[d].sym_eq(sizes[d]));
    }
    if (dim == sizes.size()) {
        strides.emplace_back(1);
    }
    sizes.insert(sizes.begin() + place, 1);
    return {std::move(sizes), std::move(strides)};
}

namespace {

/// Compares sizes and strides as LibTorch does for a tensor.
bool isContiguousInMemory(const Layout& layout) {
    return orFalse(c10::_compute_contiguous_sym(c10::SymIntArrayRef(layout.sizes()),
                                                c10::SymIntArrayRef(layout.strides()), layout.elements()));
}

} // namespace

Layout contiguousCopy(const Layout& layout, std::int64_t itemSize) {
    return isContiguousInMemory(layout) ? layout : empty(layout.sizes(), itemSize);
}

Layout converted(const Layout& layout, std::int64_t itemSize) {
    // PyTorch computes the number of elements again.
    static_cast<void>(isContiguous(Layout(layout.sizes(), layout.strides())));
    return emptyStrided(layout.sizes(), layout.strides(), itemSize);
}

void expandCopy(const Layout& layout, const Sizes& sizes, std::int64_t itemSize) {
    bool alike = sizes.size() == layout.dims();
    for (std::size_t d = 0; d < std::min(sizes.size(), layout.dims()); ++d) {
        if (!orFalse(sizes[d].sym_eq(layout.sizes()[d]))) {
            alike = false;
            break;
        }
    }
    if (!alike) {
        static_cast<void>(empty(expanded(layout, sizes).sizes(), itemSize));
    }
}

void copyBack(const at::Tensor& changed, const Layout& result) {
    static_cast<void>(at::has_internal_overlap(changed));
    sameShape(changed.sym_sizes().vec(), result.sizes());
}

void copyBack(const Layout& changed, const Layout& result) {
    static_cast<void>(isContiguousInMemory(changed));
    sameShape(changed.sizes(), result.sizes());
}

namespace {

void askForSizes(const Sizes& sizes, const Layout& result) {
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        ask(sizes[d].sym_ne(result.sizes()[d]));
    }
}

} // namespace

void copyInto(const at::Tensor& changed, const Layout& result) {
    askForSizes(changed.sym_sizes().vec(), result);
    copyBack(changed, result);
}

void copyInto(const Layout& changed, const Layout& result) {
    askForSizes(changed.sizes(), result);
    copyBack(changed, result);
}

} // namespace aotscope::torch::reference
