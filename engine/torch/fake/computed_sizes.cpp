#include "fake/computed_sizes.h"

#include "fake/fake_tensor.h"
#include "fake/quick_layout.h"

#include <ATen/WrapDimUtils.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>

namespace aotscope::torch {

namespace {

using Sizes = std::vector<c10::SymInt>;
using Arguments = c10::ArrayRef<c10::IValue>;

/// The image that a gradient of group norm is folded back into from rows of `HxW`.
Sizes foldedImage(Arguments arguments) {
    Sizes sizes = arguments[1].toTensor().sym_sizes().vec();
    c10::SymInt left = arguments[7].toSymInt();
    for (std::size_t d = 2; d + 1 < sizes.size(); ++d) {
        left = left / sizes[d];
    }
    if (sizes.size() > 2) {
        sizes.back() = left;
    }
    return sizes;
}

/// How many numbers a range of whole numbers has; empty where one of them is none.
Sizes rangeLength(const c10::IValue& start, const c10::IValue& end, const c10::IValue& step) {
    const auto whole = [](const c10::IValue& number) { return number.isInt() || number.isSymInt(); };
    if (!whole(start) || !whole(end) || !whole(step)) {
        return {};
    }
    const c10::SymInt by = step.toSymInt();
    return {(end.toSymInt() - start.toSymInt() + by - (by > 0 ? 1 : -1)) / by};
}

Sizes paddedSizes(Arguments arguments) {
    Sizes sizes = arguments[0].toTensor().sym_sizes().vec();
    const auto pads = arguments[1].toListRef();
    for (std::size_t i = 0; 2 * i + 1 < pads.size() && i < sizes.size(); ++i) {
        c10::SymInt& size = sizes[sizes.size() - 1 - i];
        size = size + pads[2 * i].toSymInt() + pads[2 * i + 1].toSymInt();
    }
    return sizes;
}

/// Of a tensor that is cut off along a diagonal: the mask is made of ranges, whose lengths are numbers of
/// their own.
Sizes maskedSizes(Arguments arguments) {
    Sizes sizes = arguments[0].toTensor().sym_sizes().vec();
    for (std::size_t d = sizes.size() < 2 ? sizes.size() : sizes.size() - 2; d < sizes.size(); ++d) {
        sizes[d] = rangeLength(0, sizes[d], 1).front();
    }
    return sizes;
}

/// Two dimensions of a tensor, and which of its diagonals is meant.
struct Diagonal {
    Diagonal(const Sizes& sizes, const c10::IValue& offset, const c10::IValue& one, const c10::IValue& other)
        : first(c10::maybe_wrap_dim(one.toInt(), static_cast<std::int64_t>(sizes.size()))),
          second(c10::maybe_wrap_dim(other.toInt(), static_cast<std::int64_t>(sizes.size()))),
          length((sizes[static_cast<std::size_t>(first)] - std::max<std::int64_t>(-offset.toInt(), 0))
                     .min(sizes[static_cast<std::size_t>(second)] -
                          std::max<std::int64_t>(offset.toInt(), 0))) {}
    std::int64_t first;
    std::int64_t second;
    c10::SymInt length;
};

Sizes diagonalSizes(Arguments arguments) {
    Sizes sizes = arguments[0].toTensor().sym_sizes().vec();
    const Diagonal diagonal(sizes, arguments[1], arguments[2], arguments[3]);
    sizes.erase(sizes.begin() + std::max(diagonal.first, diagonal.second));
    sizes.erase(sizes.begin() + std::min(diagonal.first, diagonal.second));
    sizes.push_back(diagonal.length);
    return sizes;
}

/// A reduction of the first tensor.
struct Reduction {
    Sizes sizes;
    /// Dimensions that are summed up, and whether one element stays in their place.
    std::vector<bool> goes;
    bool kept = false;
};

std::optional<Reduction> reductionOf(const c10::FunctionSchema& schema, Arguments arguments) {
    const auto dim = schema.argumentIndexWithName("dim");
    const auto keep = schema.argumentIndexWithName("keepdim");
    if (!dim || !keep || !arguments[0].isTensor()) {
        return std::nullopt;
    }
    const Sizes sizes = arguments[0].toTensor().sym_sizes().vec();
    const c10::IValue& given = arguments[static_cast<std::size_t>(*dim)];
    std::vector<std::int64_t> summed;
    if (given.isInt()) {
        summed.push_back(given.toInt());
    } else if (given.isIntList()) {
        summed = given.toIntVector();
    }
    std::vector<bool> goes(sizes.size(), summed.empty());
    for (const std::int64_t one : summed) {
        if (!sizes.empty()) {
            goes[static_cast<std::size_t>(
                c10::maybe_wrap_dim(one, static_cast<std::int64_t>(sizes.size())))] = true;
        }
    }
    return Reduction{sizes, std::move(goes), arguments[static_cast<std::size_t>(*keep)].toBool()};
}

/// Without the dimensions that are summed up, or with one element in their place.
Sizes reducedSizes(const c10::FunctionSchema& schema, Arguments arguments) {
    const auto reduction = reductionOf(schema, arguments);
    Sizes left;
    for (std::size_t d = 0; reduction && d < reduction->sizes.size(); ++d) {
        if (!reduction->goes[d] || reduction->kept) {
            left.push_back(reduction->goes[d] ? c10::SymInt(1) : reduction->sizes[d]);
        }
    }
    return left;
}

/// Of a reduction that puts its result, which is new memory, back among the dimensions that are summed up:
/// they count as many elements as lie behind them.
Sizes reducedStrides(const c10::FunctionSchema& schema, Arguments arguments) {
    const auto reduction = reductionOf(schema, arguments);
    if (!reduction || !reduction->kept) {
        return {};
    }
    Sizes strides(reduction->sizes.size());
    c10::SymInt next = 1;
    c10::SymInt behind = 1;
    for (std::size_t d = strides.size(); d-- > 0;) {
        if (reduction->goes[d]) {
            strides[d] = behind;
            continue;
        }
        strides[d] = next;
        behind = next * reduction->sizes[d];
        next = next * reduction->sizes[d].max(1);
    }
    return strides;
}

/// Queries, each with all of its heads side by side, seen with the heads in front.
Sizes attentionStrides(Arguments arguments) {
    const Sizes query = arguments[0].toTensor().sym_sizes().vec();
    if (query.size() != 4) {
        return {};
    }
    const c10::SymInt perQuery = query[1].max(1) * query[3].max(1);
    return {perQuery * query[2].max(1), query[3].max(1), perQuery, 1};
}

/// Tensors put one after the other along a dimension, those without elements of old left out.
Sizes joinedSizes(Arguments arguments) {
    Sizes sizes;
    for (const at::Tensor& tensor : arguments[0].toTensorVector()) {
        if (tensor.dim() == 1 && variantValue(tensor.sym_size(0), 0) == 0) {
            continue;
        }
        if (sizes.empty()) {
            sizes = tensor.sym_sizes().vec();
            continue;
        }
        const std::int64_t dim = c10::maybe_wrap_dim(arguments[1].toInt(), tensor.dim());
        c10::SymInt& length = sizes[static_cast<std::size_t>(dim)];
        length = length + tensor.sym_size(dim);
    }
    return sizes;
}

/// Gradients of both halves, joined again.
Sizes gatedSizes(Arguments arguments) {
    Sizes sizes = arguments[1].toTensor().sym_sizes().vec();
    const std::int64_t dim =
        c10::maybe_wrap_dim(arguments[2].toInt(), static_cast<std::int64_t>(sizes.size()));
    c10::SymInt& size = sizes[static_cast<std::size_t>(dim)];
    size = size / 2 * 2;
    return sizes;
}

/// Tensors in a dimension of their own.
Sizes stackedSizes(Arguments arguments) {
    const std::vector<at::Tensor> tensors = arguments[0].toTensorVector();
    Sizes sizes = tensors.front().sym_sizes().vec();
    const std::int64_t dim = c10::maybe_wrap_dim(arguments[1].toInt(), tensors.front().dim() + 1);
    sizes.insert(sizes.begin() + dim, static_cast<std::int64_t>(tensors.size()));
    return sizes;
}

/// Rows of the first matrix by columns of the second, whose places among the arguments these are.
Sizes productSizes(Arguments arguments, std::size_t first, std::size_t second) {
    const at::Tensor& left = arguments[first].toTensor();
    const at::Tensor& right = arguments[second].toTensor();
    Sizes sizes = left.sym_sizes().vec();
    sizes.back() = right.sym_sizes().back();
    return sizes;
}

/// A distance for each pair of rows.
Sizes pairCount(Arguments arguments) {
    const c10::SymInt rows = arguments[0].toTensor().sym_size(0);
    return {rows * (rows - 1) / 2};
}

/// How many places a window has in each direction of the image.
std::array<c10::SymInt, 2> windowPlaces(Arguments arguments) {
    const Sizes sizes = arguments[0].toTensor().sym_sizes().vec();
    std::array<c10::SymInt, 2> places;
    for (std::size_t d = 0; d < 2; ++d) {
        const auto number = [&](std::size_t argument) {
            return arguments[argument].toListRef()[d].toSymInt();
        };
        const c10::SymInt& length = sizes[sizes.size() - 2 + d];
        places[d] = (length + number(3) * 2 - number(2) * (number(1) - 1) - 1) / number(4) + 1;
    }
    return places;
}

/// A column of the image for each place of a window.
Sizes columnSizes(Arguments arguments) {
    Sizes sizes = arguments[0].toTensor().sym_sizes().vec();
    const auto window = arguments[1].toListRef();
    c10::SymInt& channels = sizes[sizes.size() - 3];
    channels = channels * window[0].toSymInt() * window[1].toSymInt();
    const auto [rows, columns] = windowPlaces(arguments);
    sizes.pop_back();
    sizes.back() = rows * columns;
    return sizes;
}

/// Of a copy that has a dimension for rows and one for columns of places.
Sizes columnStrides(Arguments arguments) {
    const Sizes sizes = columnSizes(arguments);
    const auto [rows, columns] = windowPlaces(arguments);
    Sizes strides(sizes.size(), 1);
    c10::SymInt& perChannel = strides[sizes.size() - 2];
    perChannel = rows.max(1) * columns.max(1);
    if (sizes.size() == 3) {
        strides[0] = sizes[1] * perChannel;
    }
    return strides;
}

/// Channels put side by side as an image.
Sizes shuffledSizes(Arguments arguments) {
    Sizes sizes = arguments[0].toTensor().sym_sizes().vec();
    const std::int64_t factor = arguments[1].toInt();
    c10::SymInt& channels = sizes[sizes.size() - 3];
    channels = channels / (factor * factor);
    for (std::size_t d = sizes.size() - 2; d < sizes.size(); ++d) {
        sizes[d] = sizes[d] * factor;
    }
    return sizes;
}

/// The other way: rows and columns are first split in two, and what the first part leaves of them is then
/// counted among the channels.
Sizes unshuffledSizes(Arguments arguments) {
    Sizes sizes = arguments[0].toTensor().sym_sizes().vec();
    const std::int64_t factor = arguments[1].toInt();
    c10::SymInt& channels = sizes[sizes.size() - 3];
    for (std::size_t d = sizes.size() - 2; d < sizes.size(); ++d) {
        const c10::SymInt outer = sizes[d] / factor;
        channels = channels * (sizes[d] / outer);
        sizes[d] = outer;
    }
    return sizes;
}

/// So many copies in each direction, of which there may be more than the tensor has.
Sizes repeatedSizes(Arguments arguments) {
    Sizes sizes = arguments[0].toTensor().sym_sizes().vec();
    const auto repeats = arguments[1].toListRef();
    sizes.insert(sizes.begin(), repeats.size() - sizes.size(), 1);
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        sizes[d] = sizes[d] * repeats[d].toSymInt();
    }
    return sizes;
}

/// Windows of a dimension, each in a dimension of its own.
Sizes unfoldedSizes(Arguments arguments) {
    Sizes sizes = arguments[0].toTensor().sym_sizes().vec();
    if (sizes.empty()) {
        return {};
    }
    const auto dims = static_cast<std::int64_t>(sizes.size());
    c10::SymInt& size = sizes[static_cast<std::size_t>(c10::maybe_wrap_dim(arguments[1].toInt(), dims))];
    const c10::SymInt window = arguments[2].toSymInt();
    size = (size - window) / arguments[3].toSymInt() + 1;
    sizes.push_back(window);
    return sizes;
}

/// Tensors are joined along the dimension, which is then split in two.
Sizes stackStrides(Arguments arguments) {
    const std::vector<at::Tensor> tensors = arguments[0].toTensorVector();
    const std::int64_t dims = tensors.front().dim();
    const std::int64_t dim = c10::maybe_wrap_dim(arguments[1].toInt(), dims + 1);
    if (dim == dims) {
        return {};
    }
    Sizes sizes = tensors.front().sym_sizes().vec();
    Sizes strides(sizes.size());
    c10::SymInt next = 1;
    for (std::size_t i = sizes.size(); i-- > 0;) {
        const bool joined = static_cast<std::int64_t>(i) == dim;
        const c10::SymInt length = joined ? sizes[i] * static_cast<std::int64_t>(tensors.size()) : sizes[i];
        strides[i] = next;
        next = next * length.max(1);
    }
    const auto at = static_cast<std::size_t>(dim);
    strides.insert(strides.begin() + dim, strides[at] * sizes[at]);
    return strides;
}

using SizeRule = Sizes (*)(Arguments arguments);

const std::map<std::string_view, SizeRule>& sizeRules() {
    static const std::map<std::string_view, SizeRule> table = {
        {"aten::_pdist_forward", pairCount},
        {"aten::addmm", [](Arguments all) { return productSizes(all, 1, 2); }},
        {"aten::arange", [](Arguments all) { return rangeLength(0, all[0], 1); }},
        {"aten::arange.start", [](Arguments all) { return rangeLength(all[0], all[1], 1); }},
        {"aten::arange.start_step", [](Arguments all) { return rangeLength(all[0], all[1], all[2]); }},
        {"aten::baddbmm", [](Arguments all) { return productSizes(all, 1, 2); }},
        {"aten::bmm", [](Arguments all) { return productSizes(all, 0, 1); }},
        {"aten::cat", joinedSizes},
        {"aten::constant_pad_nd", paddedSizes},
        {"aten::diagonal", diagonalSizes},
        {"aten::gather", [](Arguments all) { return all[2].toTensor().sym_sizes().vec(); }},
        {"aten::glu_backward", gatedSizes},
        {"aten::im2col", columnSizes},
        {"aten::mm", [](Arguments all) { return productSizes(all, 0, 1); }},
        {"aten::native_group_norm_backward", foldedImage},
        {"aten::pixel_shuffle", shuffledSizes},
        {"aten::pixel_unshuffle", unshuffledSizes},
        {"aten::reflection_pad1d", paddedSizes},
        {"aten::reflection_pad2d", paddedSizes},
        {"aten::reflection_pad3d", paddedSizes},
        {"aten::repeat", repeatedSizes},
        {"aten::replication_pad1d", paddedSizes},
        {"aten::replication_pad2d", paddedSizes},
        {"aten::replication_pad3d", paddedSizes},
        {"aten::stack", stackedSizes},
        {"aten::tril", maskedSizes},
        {"aten::triu", maskedSizes},
        {"aten::unfold", unfoldedSizes},
    };
    return table;
}

} // namespace

std::vector<c10::SymInt> computedSizes(const c10::OperatorHandle& op, Arguments arguments) {
    const c10::OperatorName& name = op.operator_name();
    const auto rule =
        sizeRules().find(name.overload_name.empty() ? name.name : name.name + "." + name.overload_name);
    return rule == sizeRules().end() ? reducedSizes(op.schema(), arguments) : rule->second(arguments);
}

c10::SymInt diagonalLength(Arguments arguments) {
    Sizes sizes;
    for (const c10::IValue& size : arguments[1].toListRef()) {
        sizes.push_back(size.toSymInt());
    }
    return Diagonal(sizes, arguments[2], arguments[3], arguments[4]).length;
}

std::vector<c10::SymInt> computedStrides(const c10::OperatorHandle& op, Arguments arguments) {
    constexpr std::array<std::string_view, 5> reductions = {"aten::sum", "aten::prod", "aten::amax",
                                                            "aten::amin", "aten::var"};
    const std::string_view name = op.operator_name().name;
    if (std::find(reductions.begin(), reductions.end(), name) != reductions.end()) {
        return reducedStrides(op.schema(), arguments);
    }
    return name == "aten::stack"                                         ? stackStrides(arguments)
           : name == "aten::im2col"                                      ? columnStrides(arguments)
           : name == "aten::_scaled_dot_product_flash_attention_for_cpu" ? attentionStrides(arguments)
                                                                         : quickStrides(op, arguments);
}

} // namespace aotscope::torch
