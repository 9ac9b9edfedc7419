#include "fake/fake_tensor.h"
#include "fake/models/symbolic_shapes.h"

#include <algorithm>
#include <cstdlib>

/// Views, pieces, joined tensors, ranges, indices, copies.
namespace aotscope::torch::symbolic {

namespace {

c10::SymInt rangeLength(const c10::SymInt& start, const c10::SymInt& end, const c10::SymInt& by) {
    return (end - start + by - (by > 0 ? 1 : -1)) / by;
}

c10::SymFloat asFloat(const c10::IValue& number) {
    if (number.isDouble()) {
        return number.toDouble();
    }
    const c10::SymInt whole = number.toSymInt();
    return whole.is_symbolic() ? c10::SymFloat(whole.toSymNode()->sym_float())
                               : c10::SymFloat(static_cast<double>(whole.expect_int()));
}

/// The length of a range; empty if it is no expression of symbols.
SymbolicShape rangeBetween(const c10::IValue& start, const c10::IValue& end, const c10::IValue& step) {
    const auto whole = [](const c10::IValue& number) { return number.isInt() || number.isSymInt(); };
    if (whole(start) && whole(end) && whole(step)) {
        return {{rangeLength(start.toSymInt(), end.toSymInt(), step.toSymInt())}, {}, {}};
    }
    const auto known = [&](const c10::IValue& number) { return whole(number) || number.isDouble(); };
    if (!known(start) || !known(end) || !known(step)) {
        return {};
    }
    const c10::SymFloat quotient = (asFloat(end) - asFloat(start)) / asFloat(step);
    return quotient.is_symbolic() ? SymbolicShape{{c10::SymInt(quotient.toSymNodeImpl()->ceil())}, {}, {}}
                                  : SymbolicShape();
}

/// Two dimensions of a tensor and the offset of a diagonal: three arguments, from `argument` on.
struct Diagonal {
    Diagonal(const FakeCall& call, const SymbolicSizes& sizes, std::size_t argument)
        : first(call.dimension(argument + 1, sizes.size())),
          second(call.dimension(argument + 2, sizes.size())),
          offset(call.arguments[argument].toInt()),
          length((sizes[first] - std::max<std::int64_t>(-offset, 0))
                     .min(sizes[second] - std::max<std::int64_t>(offset, 0))) {}
    std::size_t first;
    std::size_t second;
    std::int64_t offset;
    c10::SymInt length;
};

/// Removes the entries of both dimensions and appends `last`.
void joinAtEnd(SymbolicSizes& numbers, const Diagonal& diagonal, const c10::SymInt& last) {
    numbers.erase(numbers.begin() + static_cast<std::ptrdiff_t>(std::max(diagonal.first, diagonal.second)));
    numbers.erase(numbers.begin() + static_cast<std::ptrdiff_t>(std::min(diagonal.first, diagonal.second)));
    numbers.push_back(last);
}

SymbolicShape swapped(SymbolicShape shape, std::size_t one, std::size_t other) {
    std::swap(shape.sizes[one], shape.sizes[other]);
    std::swap(shape.strides[one], shape.strides[other]);
    return shape;
}

/// What `cat` joins: it skips empty tensors of one dimension.
std::vector<at::Tensor> joinedTensors(const FakeCall& call) {
    std::vector<at::Tensor> tensors = call.arguments[0].toTensorVector();
    std::erase_if(tensors, [](const at::Tensor& tensor) {
        return tensor.dim() == 1 && sampledValue(tensor.sym_size(0), 0) == 0;
    });
    return tensors;
}

/// The tensors agree in all dimensions but `except`.
void askAlike(const std::vector<at::Tensor>& tensors, std::int64_t except, ShapeEnvironment& environment) {
    for (const at::Tensor& tensor : tensors) {
        for (std::int64_t d = 0; d < tensor.dim() && tensor.dim() == tensors.front().dim(); ++d) {
            if (d != except) {
                environment.assumeEqual(tensors.front().sym_size(d), tensor.sym_size(d));
            }
        }
    }
}

} // namespace

SymbolicShape range(const FakeCall& call, std::size_t /*result*/) {
    const auto given = [&](const char* name, std::int64_t otherwise) {
        return call.op.schema().argumentIndexWithName(name) ? call[name] : c10::IValue(otherwise);
    };
    return rangeBetween(given("start", 0), call["end"], given("step", 1));
}

/// tril and triu. Their mask comes from ranges, whose lengths are separate symbolic numbers.
SymbolicShape masked(const FakeCall& call, std::size_t /*result*/) {
    SymbolicSizes sizes = call.sizes();
    for (std::size_t d = sizes.size() < 2 ? sizes.size() : sizes.size() - 2; d < sizes.size(); ++d) {
        sizes[d] = rangeLength(0, sizes[d], 1);
    }
    return {std::move(sizes), {}, {}};
}

SymbolicShape diagonal(const FakeCall& call, std::size_t /*result*/) {
    SymbolicShape shape = call.layout();
    const Diagonal diagonal(call, shape.sizes, 1);
    const c10::SymInt along = shape.strides[diagonal.first] + shape.strides[diagonal.second];
    const c10::SymInt aside = shape.strides[diagonal.offset > 0 ? diagonal.second : diagonal.first];
    shape.offset = call.tensor().sym_storage_offset() + aside * std::abs(diagonal.offset);
    joinAtEnd(shape.sizes, diagonal, diagonal.length);
    joinAtEnd(shape.strides, diagonal, along);
    return shape;
}

SymbolicShape diagonalCopy(const FakeCall& call, std::size_t result) {
    return {diagonal(call, result).sizes, {}, {}};
}

/// The last dimension of the gradient is as long as the diagonal.
void askDiagonal(const FakeCall& call) {
    const Diagonal diagonal(call, call.numbers(1), 2);
    call.environment.assumeEqual(diagonal.length, call.tensor().sym_size(-1));
}

/// A matrix for each row of the last dimension, which becomes one of its diagonals.
SymbolicShape diagonalMatrices(const FakeCall& call, std::size_t /*result*/) {
    SymbolicSizes sizes = call.sizes();
    const std::size_t dims = sizes.size() + 1;
    const c10::SymInt side = sizes.back() + std::abs(call.arguments[1].toInt());
    sizes.pop_back();
    const std::size_t first = call.dimension(2, dims);
    const std::size_t second = call.dimension(3, dims);
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(std::min(first, second)), side);
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(std::max(first, second)), side);
    return {std::move(sizes), {}, {}};
}

/// block_diag: matrices along a diagonal; a tensor of one dimension counts as a row.
SymbolicShape blocks(const FakeCall& call, std::size_t /*result*/) {
    c10::SymInt rows = 0;
    c10::SymInt columns = 0;
    for (const at::Tensor& tensor : call.arguments[0].toTensorVector()) {
        rows = rows + (tensor.dim() < 2 ? c10::SymInt(1) : tensor.sym_size(0));
        columns = columns + (tensor.dim() < 1 ? c10::SymInt(1) : tensor.sym_size(-1));
    }
    return {{rows, columns}, {}, {}};
}

/// cat: tensors joined along a dimension.
SymbolicShape joined(const FakeCall& call, std::size_t /*result*/) {
    SymbolicSizes sizes;
    for (const at::Tensor& tensor : joinedTensors(call)) {
        if (sizes.empty()) {
            sizes = tensor.sym_sizes().vec();
            continue;
        }
        const std::size_t dim = call.dimension(1, sizes.size());
        sizes[dim] = sizes[dim] + tensor.sym_sizes()[dim];
    }
    return {std::move(sizes), {}, {}};
}

void guardJoined(const FakeCall& call) {
    const std::vector<at::Tensor> tensors = joinedTensors(call);
    if (!tensors.empty()) {
        const std::size_t dim = call.dimension(1, static_cast<std::size_t>(tensors.front().dim()));
        askAlike(tensors, static_cast<std::int64_t>(dim), call.environment);
    }
}

/// stack: tensors are joined along the dimension, which is then split in two.
SymbolicShape stacked(const FakeCall& call, std::size_t /*result*/) {
    const std::vector<at::Tensor> tensors = call.arguments[0].toTensorVector();
    const SymbolicSizes single = tensors.front().sym_sizes().vec();
    const std::size_t dim = call.dimension(1, single.size() + 1);
    const auto count = static_cast<std::int64_t>(tensors.size());
    SymbolicShape shape{single, {}, {}};
    shape.sizes.insert(shape.sizes.begin() + static_cast<std::ptrdiff_t>(dim), count);
    if (dim == single.size()) {
        return shape;
    }
    shape.strides.resize(single.size());
    c10::SymInt next = 1;
    for (std::size_t d = single.size(); d-- > 0;) {
        const c10::SymInt length = d == dim ? single[d] * count : single[d];
        shape.strides[d] = next;
        next = next * length.max(1);
    }
    shape.strides.insert(shape.strides.begin() + static_cast<std::ptrdiff_t>(dim),
                         shape.strides[dim] * single[dim]);
    return shape;
}

void askStacked(const FakeCall& call) {
    askAlike(call.arguments[0].toTensorVector(), -1, call.environment);
}

/// repeat: sizes times repeats, of which there may be more than the tensor has dimensions.
SymbolicShape repeated(const FakeCall& call, std::size_t /*result*/) {
    SymbolicSizes sizes = call.sizes();
    const SymbolicSizes repeats = call.numbers(1);
    sizes.insert(sizes.begin(), repeats.size() - sizes.size(), 1);
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        sizes[d] = sizes[d] * repeats[d];
    }
    return {std::move(sizes), {}, {}};
}

/// A copy in separate memory that keeps the strides and the offset. Follows torch 2.15,
/// torch/_prims_common/__init__.py: clone_preserve_strides.
SymbolicShape copyOfFirst(const FakeCall& call, std::size_t /*result*/) {
    SymbolicShape shape = call.layout();
    shape.offset = call.tensor().sym_storage_offset();
    return shape;
}

/// A copy that keeps the strides of a dense tensor, unless memory_format is another.
SymbolicShape preserved(const FakeCall& call, std::size_t /*result*/) {
    const c10::IValue& format = call["memory_format"];
    const bool keeps = format.isNone() || format.toMemoryFormat() == at::MemoryFormat::Preserve;
    return {call.sizes(), keeps ? call.tensor().sym_strides().vec() : SymbolicSizes(), {}};
}

/// Each complex number as two real ones, in a dimension behind the others.
SymbolicShape realParts(const FakeCall& call, std::size_t /*result*/) {
    SymbolicShape shape = call.layout();
    shape.offset = call.tensor().sym_storage_offset() * 2;
    for (c10::SymInt& stride : shape.strides) {
        stride = stride * 2;
    }
    shape.sizes.emplace_back(2);
    shape.strides.emplace_back(1);
    return shape;
}

SymbolicShape complexNumbers(const FakeCall& call, std::size_t /*result*/) {
    SymbolicShape shape = call.layout();
    shape.offset = call.tensor().sym_storage_offset() / 2;
    shape.sizes.pop_back();
    shape.strides.pop_back();
    for (c10::SymInt& stride : shape.strides) {
        stride = stride / 2;
    }
    return shape;
}

/// The same bytes as elements of another size: the last dimension has more of them, or fewer.
SymbolicShape reinterpreted(const FakeCall& call, std::size_t /*result*/) {
    const at::Tensor& self = call.tensor();
    SymbolicShape shape = copyOfFirst(call, 0);
    const auto before = static_cast<std::int64_t>(self.element_size());
    const auto after = static_cast<std::int64_t>(c10::elementSize(call.arguments[1].toScalarType()));
    if (before == after || shape.sizes.empty()) {
        return shape;
    }
    const auto scaled = [&](const c10::SymInt& count) {
        return before > after ? count * (before / after) : count / (after / before);
    };
    shape.sizes.back() = scaled(shape.sizes.back());
    for (std::size_t d = 0; d + 1 < shape.strides.size(); ++d) {
        shape.strides[d] = scaled(shape.strides[d]);
    }
    shape.offset = scaled(*shape.offset);
    return shape;
}

/// unfold: windows of a dimension, laid out in a new dimension.
SymbolicShape unfolded(const FakeCall& call, std::size_t /*result*/) {
    SymbolicSizes sizes = call.sizes();
    if (sizes.empty()) {
        return {};
    }
    const std::size_t dim = call.dimension(1, sizes.size());
    const c10::SymInt window = call.arguments[2].toSymInt();
    sizes[dim] = (sizes[dim] - window) / call.arguments[3].toSymInt() + 1;
    sizes.push_back(window);
    return {std::move(sizes), {}, {}};
}

/// The same as a view.
SymbolicShape unfoldedView(const FakeCall& call, std::size_t result) {
    SymbolicShape shape = unfolded(call, result);
    if (!shape.sizes.empty()) {
        shape.strides = call.tensor().sym_strides().vec();
        c10::SymInt& stride = shape.strides[call.dimension(1, shape.strides.size())];
        const c10::SymInt inside = stride;
        stride = stride * call.arguments[3].toSymInt();
        shape.strides.push_back(inside);
    }
    return shape;
}

/// unbind: each index of a dimension is a result.
SymbolicShape unbound(const FakeCall& call, std::size_t result) {
    SymbolicShape shape = call.layout();
    const std::size_t dim = call.dimension(1, shape.sizes.size());
    shape.offset =
        call.tensor().sym_storage_offset() + shape.strides[dim] * static_cast<std::int64_t>(result);
    shape.sizes.erase(shape.sizes.begin() + static_cast<std::ptrdiff_t>(dim));
    shape.strides.erase(shape.strides.begin() + static_cast<std::ptrdiff_t>(dim));
    return shape;
}

/// index_select: the dimension gets as many elements as the index.
SymbolicShape selected(const FakeCall& call, std::size_t /*result*/) {
    SymbolicSizes sizes = call.sizes();
    FakeTensorImpl* index = asFake(call.tensor(2));
    if (index != nullptr && !sizes.empty()) {
        sizes[call.dimension(1, sizes.size())] = index->elements(call.environment);
    }
    return {std::move(sizes), {}, {}};
}

/// embedding: a row of the first argument for each index.
SymbolicShape embedded(const FakeCall& call, std::size_t /*result*/) {
    SymbolicSizes sizes = call.sizes(1);
    sizes.push_back(call.tensor(0).sym_size(1));
    return {std::move(sizes), {}, {}};
}

/// embedding_bag: a row for each bag, and the number of rows in each.
SymbolicShape bags(const FakeCall& call, std::size_t result) {
    const bool endIsGiven = call["include_last_offset"].toBool();
    const c10::SymInt count = call.tensor(2).sym_size(0) - (endIsGiven ? 1 : 0);
    return result == 0   ? SymbolicShape{{count, call.tensor(0).sym_size(1)}, {}, {}}
           : result == 2 ? SymbolicShape{{count}, {}, {}}
                         : SymbolicShape();
}

SymbolicShape transposedMatrix(const FakeCall& call, std::size_t /*result*/) {
    return call.tensor().dim() == 2 ? swapped(call.layout(), 0, 1) : call.layout();
}

SymbolicShape transposed(const FakeCall& call, std::size_t /*result*/) {
    const auto dims = static_cast<std::size_t>(call.tensor().dim());
    return dims == 0 ? call.layout()
                     : swapped(call.layout(), call.dimension(1, dims), call.dimension(2, dims));
}

SymbolicShape permuted(const FakeCall& call, std::size_t /*result*/) {
    const SymbolicShape whole = call.layout();
    SymbolicShape shape;
    for (const c10::IValue& dim : call.arguments[1].toListRef()) {
        const std::size_t at = dimensionIndex(dim.toInt(), whole.sizes.size());
        shape.sizes.push_back(whole.sizes[at]);
        shape.strides.push_back(whole.strides[at]);
    }
    return shape;
}

/// Leaves out those of the named dimensions, or of all, that have one element.
SymbolicShape squeezed(const FakeCall& call, std::size_t /*result*/) {
    SymbolicShape shape = call.layout();
    std::vector<bool> meant(shape.sizes.size(), call.arguments.size() == 1);
    if (!meant.empty() && call.arguments.size() > 1) {
        const c10::IValue& dims = call.arguments[1];
        for (const std::int64_t dim : dims.isInt() ? std::vector{dims.toInt()} : dims.toIntVector()) {
            meant[dimensionIndex(dim, meant.size())] = true;
        }
    }
    for (std::size_t dim = meant.size(); dim-- > 0;) {
        if (meant[dim] && sampledValue(shape.sizes[dim], 0) == 1) {
            shape.sizes.erase(shape.sizes.begin() + static_cast<std::ptrdiff_t>(dim));
            shape.strides.erase(shape.strides.begin() + static_cast<std::ptrdiff_t>(dim));
        }
    }
    return shape;
}

SymbolicShape unsqueezed(const FakeCall& call, std::size_t /*result*/) {
    SymbolicShape shape = call.layout();
    const std::size_t dims = shape.sizes.size();
    const std::size_t dim = call.dimension(1, dims + 1);
    const auto place = static_cast<std::ptrdiff_t>(dim);
    shape.strides.insert(shape.strides.begin() + place,
                         dim < dims ? shape.sizes[dim] * shape.strides[dim] : c10::SymInt(1));
    shape.sizes.insert(shape.sizes.begin() + place, 1);
    return shape;
}

} // namespace aotscope::torch::symbolic
