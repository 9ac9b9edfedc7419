#include "kernels/lowering.h"

#include "ir/operators/operator.h"

#include <algorithm>
#include <numeric>

// Views: operators whose result is its operand's memory with other sizes and strides.
namespace aotscope::kernels {

namespace {

struct View {
    const OpCall& call;
    std::size_t result;
    const TensorLayout& operand;
    const Sizes& sizes;
    const Coordinates& at;

    [[nodiscard]] std::int64_t rank() const { return static_cast<std::int64_t>(operand.sizes.size()); }
    [[nodiscard]] std::optional<std::size_t> dimension(std::string_view name,
                                                       std::int64_t otherwise = 0) const {
        const std::int64_t dim = call.integer(name, otherwise);
        const std::int64_t wrapped = dim < 0 ? dim + rank() : dim;
        return wrapped < 0 || wrapped >= rank() ? std::nullopt
                                                : std::optional(static_cast<std::size_t>(wrapped));
    }
};
using Mapped = std::optional<Coordinates>;

Mapped reshapedView(const View& view) {
    if (product(view.sizes) != product(view.operand.sizes)) {
        return std::nullopt;
    }
    return reshaped(view.at, view.sizes, view.operand.sizes);
}

Mapped expanded(const View& view) {
    const std::size_t extra = view.at.size() - view.operand.sizes.size();
    if (view.at.size() < view.operand.sizes.size()) {
        return std::nullopt;
    }
    Coordinates result;
    for (std::size_t i = 0; i < view.operand.sizes.size(); ++i) {
        result.push_back(view.operand.sizes[i] == 1 ? IndexExpression(0) : view.at[i + extra]);
    }
    return result;
}

/// Where result dimension `order[i]` of the operand went to position i.
Mapped permuted(const View& view, const std::vector<std::size_t>& order) {
    if (order.size() != view.at.size()) {
        return std::nullopt;
    }
    Coordinates result(view.at.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        result[order[i]] = view.at[i];
    }
    return result;
}

Mapped permutation(const View& view) {
    const auto dims = view.call.integers("dims");
    if (!dims) {
        return std::nullopt;
    }
    std::vector<std::size_t> order;
    for (const std::int64_t dim : *dims) {
        order.push_back(static_cast<std::size_t>(dim < 0 ? dim + view.rank() : dim));
    }
    return permuted(view, order);
}

Mapped swapped(const View& view, std::size_t first, std::size_t second) {
    std::vector<std::size_t> order(view.operand.sizes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::swap(order[first], order[second]);
    return permuted(view, order);
}

Mapped transposed(const View& view) {
    if (view.operand.sizes.empty()) {
        return view.at;
    }
    const auto first = view.dimension(view.call.hasArgument("dim0") ? "dim0" : "axis0");
    const auto second = view.dimension(view.call.hasArgument("dim1") ? "dim1" : "axis1");
    return first && second ? swapped(view, *first, *second) : std::nullopt;
}

Mapped matrixTransposed(const View& view) {
    const std::size_t rank = view.operand.sizes.size();
    return rank < 2 ? Mapped(view.at) : swapped(view, rank - 2, rank - 1);
}

/// The part of dimension `dim` from `start` on, every `step`-th.
Mapped shifted(const View& view, std::size_t dim, std::int64_t start, std::int64_t step) {
    Coordinates result = view.at;
    result[dim] = result[dim] * step + start;
    return result;
}

Mapped sliced(const View& view) {
    const auto dim = view.dimension("dim");
    if (!dim || (view.call.tryArgument("start") != nullptr && !view.call.number("start"))) {
        return std::nullopt;
    }
    const std::int64_t size = view.operand.sizes[*dim];
    std::int64_t start = view.call.integer("start", 0);
    start = std::clamp<std::int64_t>(start < 0 ? start + size : start, 0, size);
    return shifted(view, *dim, start, view.call.integer("step", 1));
}

Mapped narrowed(const View& view) {
    const auto dim = view.dimension("dim");
    if (!dim || !view.call.number("start")) {
        return std::nullopt;
    }
    const std::int64_t start = view.call.integer("start", 0);
    return shifted(view, *dim, start < 0 ? start + view.operand.sizes[*dim] : start, 1);
}

/// The element `index` of dimension `dim`, which the result does not have.
Mapped selected(const View& view, std::size_t dim, std::int64_t index) {
    Coordinates result = view.at;
    const std::int64_t size = view.operand.sizes[dim];
    result.insert(result.begin() + static_cast<std::ptrdiff_t>(dim),
                  IndexExpression(index < 0 ? index + size : index));
    return result;
}

Mapped select(const View& view) {
    const auto dim = view.dimension("dim");
    return dim && view.call.number("index") ? selected(view, *dim, view.call.integer("index", 0))
                                            : std::nullopt;
}

Mapped unbound(const View& view) {
    const auto dim = view.dimension("dim");
    return dim ? selected(view, *dim, static_cast<std::int64_t>(view.result)) : std::nullopt;
}

Mapped split(const View& view) {
    const auto dim = view.dimension("dim");
    if (!dim) {
        return std::nullopt;
    }
    const auto piece = static_cast<std::int64_t>(view.result);
    if (view.call.hasArgument("chunks")) {
        const std::int64_t chunks = view.call.integer("chunks", 1);
        return shifted(view, *dim, (view.operand.sizes[*dim] + chunks - 1) / chunks * piece, 1);
    }
    const std::string_view name = view.call.hasArgument("split_sizes") ? "split_sizes" : "split_size";
    const auto sizes = view.call.integers(name);
    if (!sizes || sizes->empty()) {
        return std::nullopt;
    }
    if (name == "split_size" && sizes->size() == 1) {
        return shifted(view, *dim, sizes->front() * piece, 1);
    }
    if (view.result >= sizes->size()) {
        return std::nullopt;
    }
    return shifted(view, *dim, std::accumulate(sizes->begin(), sizes->begin() + piece, std::int64_t{0}), 1);
}

Mapped broadcastInDim(const View& view) {
    const auto dims = view.call.integers("broadcast_dimensions");
    if (!dims || dims->size() != view.operand.sizes.size()) {
        return std::nullopt;
    }
    Coordinates result;
    for (std::size_t i = 0; i < dims->size(); ++i) {
        result.push_back(view.operand.sizes[i] == 1 ? IndexExpression(0)
                                                    : view.at[static_cast<std::size_t>((*dims)[i])]);
    }
    return result;
}

Mapped notMapped(const View&) {
    return std::nullopt;
}

ir::ViewMap viewMapOf(const OpCall& call) {
    return ir::Operator(call.node().target)->view;
}

/// In the order of ir::ViewMap.
constexpr Mapped (*viewMaps[])(const View&) = {
    notMapped, notMapped, reshapedView, expanded, permutation, transposed,    matrixTransposed,
    sliced,    narrowed,  select,       unbound,  split,       broadcastInDim};

std::optional<ir::NodeId> operandOf(const OpCall& call) {
    const auto names = call.names();
    return names.empty() ? std::nullopt : call.tensor(names.front());
}

} // namespace

bool isView(const OpCall& call) {
    return viewMapOf(call) != ir::ViewMap::None;
}

std::optional<ViewedElement> viewedElement(const OpCall& call, std::size_t result,
                                           const Coordinates& coordinates) {
    const ir::ViewMap map = viewMapOf(call);
    const auto operand = operandOf(call);
    if (map == ir::ViewMap::None || !operand) {
        return std::nullopt;
    }
    const TensorLayout* from = call.facts().layout({*operand});
    const TensorLayout* to = call.facts().layout({call.id(), result});
    // `view.dtype` reads the same bytes as other numbers.
    if (from == nullptr || to == nullptr || from->dtype != to->dtype ||
        to->sizes.size() != coordinates.size()) {
        return std::nullopt;
    }
    Mapped element = viewMaps[static_cast<std::size_t>(map)]({call, result, *from, to->sizes, coordinates});
    if (!element || element->size() != from->sizes.size()) {
        return std::nullopt;
    }
    return ViewedElement{{*operand}, *std::move(element)};
}

} // namespace aotscope::kernels
