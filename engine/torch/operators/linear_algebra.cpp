#include "operators/operator_rows.h"

#include "decompositions/all_decompositions.h"
#include "fake/meta/device_hint.h"
#include "fake/meta/layouts.h"
#include "fake/meta/rules.h"

#include <ATen/ExpandUtils.h>

#include <algorithm>

/// Products, factorizations, distances.
namespace aotscope::torch {

namespace {

void checkSquare(const ShapeCall& call, const at::Tensor& matrix) {
    TORCH_CHECK(matrix.dim() >= 2, call.schema().name(),
                ": The input tensor must have at least 2 dimensions.");
    TORCH_CHECK(matrix.size(-1) == matrix.size(-2), call.schema().name(),
                ": A must be batches of square matrices, but they are ", matrix.size(-2), " by ",
                matrix.size(-1), " matrices");
}

Sizes batchOf(const at::Tensor& matrix) {
    return matrix.sizes().slice(0, static_cast<std::size_t>(matrix.dim()) - 2).vec();
}

Sizes withoutLast(const at::Tensor& tensor) {
    return tensor.sizes().slice(0, static_cast<std::size_t>(tensor.dim()) - 1).vec();
}

/// The sizes of `matrix` with its batch dimensions broadcast against those of `other`.
Sizes withCommonBatch(const at::Tensor& matrix, const at::Tensor& other) {
    Sizes sizes = at::infer_size(batchOf(matrix), batchOf(other));
    sizes.push_back(matrix.size(-2));
    sizes.push_back(matrix.size(-1));
    return sizes;
}

ShapeResults columnMajorLikeSelf(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    checkSquare(call, self);
    return {newColumnMajor(self, self.sizes())};
}

ShapeResults cholesky(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    if (self.numel() == 0) {
        return {emptyContiguous(self)};
    }
    return columnMajorLikeSelf(call);
}

ShapeResults geqrf(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    Sizes tau = batchOf(self);
    tau.push_back(std::min(self.size(-2), self.size(-1)));
    return {newColumnMajor(self, self.sizes()), newEmpty(self, tau)};
}

ShapeResults eigenvectors(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    checkSquare(call, self);
    const c10::ScalarType type = complexTypeOf(self.scalar_type());
    return {newEmpty(self, withoutLast(self), type),
            fakingCuda() ? newEmpty(self, self.sizes(), type) : newColumnMajor(self, self.sizes(), type)};
}

ShapeResults solveTriangular(const ShapeCall& call) {
    const at::Tensor matrix = call.tensor("self");
    const at::Tensor b = call.tensor("B");
    checkSquare(call, matrix);
    const Sizes sizes = withCommonBatch(b, matrix);
    const bool asItIs = matrix.is_conj() && matrix.transpose(-2, -1).is_contiguous();
    return {asItIs ? newEmpty(matrix, sizes) : newColumnMajor(matrix, sizes)};
}

/// The right singular vectors are row-major on CUDA (cuSOLVER) and column-major on the CPU (LAPACK).
ShapeResults svd(const ShapeCall& call) {
    const at::Tensor a = call.tensor("A");
    const Sizes batch = batchOf(a);
    const std::int64_t rows = a.size(-2);
    const std::int64_t columns = a.size(-1);
    const std::int64_t rank = std::min(rows, columns);
    const auto batched = [&](std::initializer_list<std::int64_t> last) {
        Sizes sizes = batch;
        sizes.insert(sizes.end(), last);
        return sizes;
    };
    const at::Tensor values = newEmpty(a, batched({rank}), c10::toRealValueType(a.scalar_type()));
    if (!call.flag("compute_uv")) {
        return {newEmpty(a, {0}), values, newEmpty(a, {0})};
    }
    const bool full = call.flag("full_matrices");
    const Sizes right = batched({full ? columns : rank, columns});
    return {newColumnMajor(a, batched({rows, full ? rows : rank})), values,
            fakingCuda() ? newEmpty(a, right) : newColumnMajor(a, right)};
}

/// Distances between the rows of two batches.
ShapeResults cdistForward(const ShapeCall& call) {
    const at::Tensor one = call.tensor("x1");
    const at::Tensor other = call.tensor("x2");
    TORCH_CHECK(one.size(-1) == other.size(-1),
                "X1 and X2 must have the same number of columns. X1: ", one.size(-1),
                " X2: ", other.size(-1));
    Sizes sizes = at::infer_size(batchOf(one), batchOf(other));
    sizes.push_back(one.size(-2));
    sizes.push_back(other.size(-2));
    return {newEmpty(one, sizes)};
}

ShapeResults cdistBackward(const ShapeCall& call) {
    const at::Tensor one = call.tensor("x1");
    const at::Tensor other = call.tensor("x2");
    const Sizes expanded = withCommonBatch(one, other);
    if (c10::multiply_integers(expanded) == 0 || other.size(-2) == 0) {
        return {emptyLike(one)};
    }
    return {newEmpty(one, expanded)};
}

ShapeResults pdistForward(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const std::int64_t rows = self.size(0);
    return {newEmpty(self, {rows <= 1 ? 0 : rows * (rows - 1) / 2})};
}

ShapeResults addbmm(const ShapeCall& call) {
    const at::Tensor batch1 = call.tensor("batch1");
    const at::Tensor batch2 = call.tensor("batch2");
    TORCH_CHECK(batch1.size(0) == batch2.size(0) && batch1.size(2) == batch2.size(1),
                "Incompatible matrix sizes for addbmm");
    return {newEmpty(call.tensor("self"), {batch1.size(1), batch2.size(2)})};
}

/// A product whose dtype may differ from that of its factors.
ShapeResults matrixProduct(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const at::Tensor other = call.tensor("mat2");
    Sizes sizes = withoutLast(self);
    sizes.push_back(other.size(-1));
    const auto type = call.dtype("out_dtype");
    return {newEmpty(self, sizes, type ? *type : self.scalar_type())};
}

/// Grouped matrix products: `offs` cuts a factor, or the dimension that is summed over, into groups. CUDA
/// pads the rows to 16 bytes.
ShapeResults groupedProduct(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const at::Tensor other = call.tensor("mat2");
    const at::Tensor offsets = call.tensor("offs");
    const bool scaled = call.schema().argumentIndexWithName("scale_a").has_value();
    const c10::ScalarType type =
        call.dtype("out_dtype").value_or(scaled ? c10::kBFloat16 : self.scalar_type());
    Sizes sizes = {self.size(-2), other.size(-1)};
    if (self.dim() == other.dim()) {
        sizes.insert(sizes.begin(), self.dim() == 2 ? offsets.size(0) : self.size(0));
    }
    if (!fakingCuda()) {
        return {newEmpty(self, sizes, type)};
    }
    const auto alignment = static_cast<std::int64_t>(16 / c10::elementSize(type));
    Sizes padded = sizes;
    padded.back() = (padded.back() + alignment - 1) / alignment * alignment;
    return {newStrided(self, sizes, contiguousStrides(padded), type)};
}

/// A column for each row of the weights, of which `packed` lie in one.
template<std::int64_t packed>
ShapeResults byWeightRows(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    return {newEmpty(self, {self.size(0), call.tensor("mat2").size(0) * packed})};
}

/// Weights of four bits, packed for the tensor cores.
ShapeResults packInt4(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const std::int64_t tiles = call.integer("innerKTiles");
    return {newEmpty(self, {self.size(0) / 8, self.size(1) * 2 / (tiles * 16), 32, tiles / 2}, c10::kInt)};
}

ShapeResults linearBackward(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const at::Tensor gradOutput = call.tensor("grad_output");
    const std::vector<bool> mask = call.flags("output_mask");
    const bool weights = mask[1] || mask[2];
    return {mask[0] ? newEmpty(gradOutput, self.sizes()) : at::Tensor(),
            weights ? newEmpty(gradOutput, {gradOutput.size(-1), self.size(-1)}) : at::Tensor(),
            weights ? newEmpty(gradOutput, {gradOutput.size(-1)}) : at::Tensor()};
}

/// The first argument's batch of matrices, with these rows and columns.
SymbolicSizes matrices(const FakeCall& call, c10::SymInt rows, c10::SymInt columns) {
    SymbolicSizes sizes = call.sizes();
    sizes[sizes.size() - 2] = std::move(rows);
    sizes.back() = std::move(columns);
    return sizes;
}

/// The diagonal of each matrix: as long as the lesser of rows and columns.
SymbolicSizes diagonals(const FakeCall& call) {
    SymbolicSizes sizes = call.sizes();
    const c10::SymInt columns = sizes.back();
    sizes.pop_back();
    sizes.back() = sizes.back().min(columns);
    return sizes;
}

c10::SymInt rowsOf(const FakeCall& call) {
    return call.tensor().sym_size(-2);
}

c10::SymInt columnsOf(const FakeCall& call) {
    return call.tensor().sym_size(-1);
}

c10::SymInt fewer(const FakeCall& call) {
    return rowsOf(call).min(columnsOf(call));
}

/// Rows of the matrices in argument `first` by columns of those in the next.
template<std::size_t first>
SymbolicShape product(const FakeCall& call, std::size_t /*result*/) {
    SymbolicSizes sizes = call.sizes(first);
    sizes.back() = call.tensor(first + 1).sym_sizes().back();
    return {std::move(sizes), {}, {}};
}

/// The inner dimensions of these two are equal, and so are their batch sizes.
template<std::size_t first>
void askProduct(const FakeCall& call) {
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
    return {result == 0 ? matrices(call, rowsOf(call), whole ? rowsOf(call) : fewer(call))
                        : matrices(call, whole ? columnsOf(call) : fewer(call), columnsOf(call)),
            {},
            {}};
}

SymbolicShape orthogonal(const FakeCall& call, std::size_t result) {
    const std::string mode(call["mode"].toStringView());
    const c10::SymInt inner = mode == "complete" ? rowsOf(call) : fewer(call);
    if (result == 0) {
        return mode == "r" ? SymbolicShape() : SymbolicShape{matrices(call, rowsOf(call), inner), {}, {}};
    }
    return {matrices(call, inner, columnsOf(call)), {}, {}};
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
    return {result == 0   ? matrices(call, rowsOf(call), rowsOf(call))
            : result == 1 ? matrices(call, rowsOf(call), fewer(call))
                          : matrices(call, fewer(call), columnsOf(call)),
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
    SymbolicSizes sizes = matrices(call, rowsOf(call), call.tensor(1).sym_size(-2));
    for (std::size_t d = 0; d + 2 < sizes.size(); ++d) {
        if (sizes[d].maybe_as_int() == 1) {
            sizes[d] = call.tensor(1).sym_sizes()[d];
        }
    }
    return {std::move(sizes), {}, {}};
}

} // namespace

void addLinearAlgebraRows(OperatorRows& rows) {
    using Memory = OperatorModel::Memory;
    rows.add({"bmm"}, product<0>, askProduct<0>, Memory::New, InInductor{decomposed::bmm});
    rows.add({"mm"}, product<0>, askProduct<0>, Memory::New, InInductor{decomposed::mm});
    rows.add({"addmm"}, product<1>, askProduct<1>, InInductor{decomposed::addmm});
    rows.add({"matmul"}, ForComposite{decomposed::matmul});
    rows.add({"addmv"}, InInductor{decomposed::addmv});
    rows.add({"baddbmm"}, product<1>, askProduct<1>, InCore{decomposed::baddbmm});
    rows.add({"mv"}, askLastLength, decomposed::mv);
    rows.add({"dot"}, shapes::oneValue, askLastLength, decomposed::dot);
    rows.add({"vdot"}, shapes::oneValue, decomposed::vdot);
    rows.add({"addr"}, decomposed::addr, OperatorTrait::BatchedByDecomposition);
    rows.add({"_euclidean_dist"}, decomposed::euclideanDistance);
    rows.add({"linalg_cross"}, decomposed::cross);
    rows.add({"renorm"}, decomposed::renorm);
    rows.add({"cholesky"}, cholesky);
    rows.add({"cholesky_inverse"}, columnMajorLikeSelf);
    rows.add({"_cholesky_solve_helper"}, shapes::columnMajorLike<0>);
    rows.add({"cholesky_solve"}, [](const ShapeCall& call) -> ShapeResults {
        const at::Tensor self = call.tensor("self");
        return {newColumnMajor(self, withCommonBatch(self, call.tensor("input2")))};
    });
    rows.add({"linalg_householder_product"}, shapes::columnMajorLike<0>);
    rows.add({"geqrf"}, geqrf, reflectors);
    rows.add({"ormqr"}, shapes::columnMajorLike<2>);
    rows.add({"_linalg_eigvals"}, [](const ShapeCall& call) -> ShapeResults {
        const at::Tensor self = call.tensor("self");
        checkSquare(call, self);
        return {newEmpty(self, withoutLast(self), complexTypeOf(self.scalar_type()))};
    });
    rows.add({"linalg_eig"}, eigenvectors);
    rows.add({"linalg_matrix_exp"}, [](const ShapeCall& call) -> ShapeResults {
        const at::Tensor self = call.tensor("self");
        checkSquare(call, self);
        return {emptyContiguous(self)};
    });
    rows.add({"linalg_solve_triangular"}, solveTriangular);
    rows.add({"_linalg_svd"}, svd, singularValues);
    rows.add({"_cdist_forward"}, cdistForward, distances);
    rows.add({"_cdist_backward"}, cdistBackward);
    rows.add({"_pdist_forward"}, pdistForward, pairs);
    rows.add({"_pdist_backward"}, shapes::contiguousLike<1>);
    rows.add({"addbmm"}, addbmm);
    rows.add({"mm.dtype", "bmm.dtype", "_scaled_mm", "_scaled_mm_v2"}, matrixProduct);
    rows.add({"_grouped_mm", "_scaled_grouped_mm"}, groupedProduct);
    rows.add({"_int_mm"}, [](const ShapeCall& call) -> ShapeResults {
        const at::Tensor self = call.tensor("self");
        return {newEmpty(self, {self.size(0), call.tensor("mat2").size(1)}, c10::kInt)};
    });
    rows.add({"_weight_int8pack_mm", "_weight_int4pack_mm_for_cpu"}, byWeightRows<1>);
    rows.add({"_weight_int4pack_mm"}, byWeightRows<8>);
    rows.add({"linear_backward"}, linearBackward);
    rows.add({"linalg_qr"}, orthogonal);
    rows.add({"linalg_lu_factor_ex"}, factored);
    rows.add({"linalg_lu"}, triangles);
    rows.add({"lu_unpack"}, unpacked);
    rows.add({"_convert_weight_to_int4pack"}, packInt4);
    rows.add({"_convert_weight_to_int4pack_for_cpu"}, [](const ShapeCall& call) -> ShapeResults {
        const at::Tensor self = call.tensor("self");
        return {newEmpty(self, {self.size(0), self.size(1) / 2}, c10::kByte)};
    });
}

} // namespace aotscope::torch
