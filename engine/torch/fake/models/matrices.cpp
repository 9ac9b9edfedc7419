#include "fake/models/symbolic_shapes.h"

#include <algorithm>

/// Matrix products and factorizations, distances, attention, transforms.
namespace aotscope::torch::symbolic {

namespace {

/// An argument's batch of matrices, with these rows and columns.
SymbolicSizes matrices(const FakeCall& call, c10::SymInt rows, c10::SymInt columns,
                       std::size_t argument = 0) {
    SymbolicSizes sizes = call.sizes(argument);
    sizes[sizes.size() - 2] = std::move(rows);
    sizes.back() = std::move(columns);
    return sizes;
}

/// The diagonal of each matrix: as long as the lesser of rows and columns.
SymbolicSizes diagonals(const FakeCall& call, std::size_t argument = 0) {
    SymbolicSizes sizes = call.sizes(argument);
    const c10::SymInt columns = sizes.back();
    sizes.pop_back();
    sizes.back() = sizes.back().min(columns);
    return sizes;
}

c10::SymInt rows(const FakeCall& call) {
    return call.tensor().sym_size(-2);
}

c10::SymInt columns(const FakeCall& call) {
    return call.tensor().sym_size(-1);
}

c10::SymInt fewer(const FakeCall& call) {
    return rows(call).min(columns(call));
}

} // namespace

SymbolicShape productOf(const FakeCall& call, std::size_t first) {
    SymbolicSizes sizes = call.sizes(first);
    sizes.back() = call.tensor(first + 1).sym_sizes().back();
    return {std::move(sizes), {}, {}};
}

void askInner(const FakeCall& call, std::size_t first) {
    const at::Tensor& left = call.tensor(first);
    const at::Tensor& right = call.tensor(first + 1);
    if (left.dim() >= 2 && right.dim() >= 2) {
        call.environment.assumeEqual(left.sym_size(-1), right.sym_size(-2));
    }
    if (left.dim() == 3 && right.dim() == 3) {
        call.environment.assumeEqual(left.sym_size(0), right.sym_size(0));
    }
}

/// The last dimension of the first and the only one of the second are equal.
void askLastLength(const FakeCall& call) {
    call.environment.assumeEqual(call.tensor(0).sym_size(-1), call.tensor(1).sym_size(-1));
}

SymbolicShape singularValues(const FakeCall& call, std::size_t result) {
    const bool whole = call["full_matrices"].toBool();
    const bool vectors = call["compute_uv"].toBool();
    if (result == 1) {
        return {diagonals(call), {}, {}};
    }
    if (!vectors) {
        return {};
    }
    return {result == 0 ? matrices(call, rows(call), whole ? rows(call) : fewer(call))
                        : matrices(call, whole ? columns(call) : fewer(call), columns(call)),
            {},
            {}};
}

SymbolicShape orthogonal(const FakeCall& call, std::size_t result) {
    const std::string mode(call["mode"].toStringView());
    const c10::SymInt inner = mode == "complete" ? rows(call) : fewer(call);
    if (result == 0) {
        return mode == "r" ? SymbolicShape() : SymbolicShape{matrices(call, rows(call), inner), {}, {}};
    }
    return {matrices(call, inner, columns(call)), {}, {}};
}

SymbolicShape reflectors(const FakeCall& call, std::size_t result) {
    return {result == 0 ? call.sizes() : diagonals(call), {}, {}};
}

/// LU factors: the packed matrices, the pivots, and a status number per matrix.
SymbolicShape factored(const FakeCall& call, std::size_t result) {
    SymbolicSizes batch = call.sizes();
    batch.resize(batch.size() - 2);
    return {result == 0 ? call.sizes() : result == 1 ? diagonals(call) : batch, {}, {}};
}

/// The permutation, and the lower and upper triangle.
SymbolicShape triangles(const FakeCall& call, std::size_t result) {
    return {result == 0   ? matrices(call, rows(call), rows(call))
            : result == 1 ? matrices(call, rows(call), fewer(call))
                          : matrices(call, fewer(call), columns(call)),
            {},
            {}};
}

/// The same from packed factors; results that are not requested are empty.
SymbolicShape unpacked(const FakeCall& call, std::size_t result) {
    const bool wanted = call[result == 0 ? "unpack_pivots" : "unpack_data"].toBool();
    return wanted ? triangles(call, result) : SymbolicShape();
}

/// A distance for each pair of rows.
SymbolicShape pairs(const FakeCall& call, std::size_t /*result*/) {
    const c10::SymInt count = call.tensor().sym_size(0);
    return {{count * (count - 1) / 2}, {}, {}};
}

/// A distance for each row of the first with each row of the second.
SymbolicShape distances(const FakeCall& call, std::size_t /*result*/) {
    if (call.tensor(0).dim() != call.tensor(1).dim()) {
        return {};
    }
    SymbolicSizes sizes = matrices(call, rows(call), call.tensor(1).sym_size(-2));
    for (std::size_t d = 0; d + 2 < sizes.size(); ++d) {
        if (sizes[d].maybe_as_int() == 1) {
            sizes[d] = call.tensor(1).sym_sizes()[d];
        }
    }
    return {std::move(sizes), {}, {}};
}

/// Attention on the CPU. The output is stored as [batch, length, heads, features] and the sums that are kept
/// for the gradient as [batch, length, heads]; both are viewed with the heads before the length.
SymbolicShape attention(const FakeCall& call, std::size_t result) {
    const SymbolicSizes query = call.sizes();
    if (query.size() != 4 || result > 1) {
        return {};
    }
    const c10::SymInt perQuery = query[1].max(1) * query[3].max(1);
    if (result == 0) {
        return {{}, {perQuery * query[2].max(1), query[3].max(1), perQuery, 1}, {}};
    }
    return {{query[0], query[1], query[2]}, {query[2].max(1) * query[1].max(1), 1, query[1].max(1)}, {}};
}

/// A real transform keeps half of the last transformed dimension and the middle; the rest mirrors it.
SymbolicShape realTransform(const FakeCall& call, std::size_t /*result*/) {
    SymbolicSizes sizes = call.sizes();
    const std::vector<std::int64_t> dims = call.arguments[1].toIntVector();
    if (call["onesided"].toBool() && !dims.empty()) {
        c10::SymInt& size = sizes[dimensionIndex(dims.back(), sizes.size())];
        size = size / 2 + 1;
    }
    return {std::move(sizes), {}, {}};
}

} // namespace aotscope::torch::symbolic
