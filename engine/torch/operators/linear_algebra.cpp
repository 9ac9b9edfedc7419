#include "operators/operator_rows.h"

#include "decompositions/all_decompositions.h"
#include "fake/meta/device_hint.h"
#include "fake/meta/layouts.h"
#include "fake/meta/rules.h"
#include "fake/models/symbolic_shapes.h"

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

ShapeResults choleskySolve(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    return {newColumnMajor(self, withCommonBatch(self, call.tensor("input2")))};
}

ShapeResults geqrf(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    Sizes tau = batchOf(self);
    tau.push_back(std::min(self.size(-2), self.size(-1)));
    return {newColumnMajor(self, self.sizes()), newEmpty(self, tau)};
}

ShapeResults eigenvalues(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    checkSquare(call, self);
    return {newEmpty(self, withoutLast(self), complexTypeOf(self.scalar_type()))};
}

ShapeResults eigenvectors(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    checkSquare(call, self);
    const c10::ScalarType type = complexTypeOf(self.scalar_type());
    return {newEmpty(self, withoutLast(self), type),
            fakingCuda() ? newEmpty(self, self.sizes(), type) : newColumnMajor(self, self.sizes(), type)};
}

ShapeResults matrixExp(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    checkSquare(call, self);
    return {emptyContiguous(self)};
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

ShapeResults intMatrixProduct(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    return {newEmpty(self, {self.size(0), call.tensor("mat2").size(1)}, c10::kInt)};
}

ShapeResults byWeightRows(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    return {newEmpty(self, {self.size(0), call.tensor("mat2").size(0)})};
}

/// Weights of four bits, packed for the tensor cores.
ShapeResults packInt4(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const std::int64_t tiles = call.integer("innerKTiles");
    return {newEmpty(self, {self.size(0) / 8, self.size(1) * 2 / (tiles * 16), 32, tiles / 2}, c10::kInt)};
}

ShapeResults packInt4ForCpu(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    return {newEmpty(self, {self.size(0), self.size(1) / 2}, c10::kByte)};
}

ShapeResults byPackedRows(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    return {newEmpty(self, {self.size(0), call.tensor("mat2").size(0) * 8})};
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

} // namespace

void addLinearAlgebraRows(OperatorRows& rows) {
    using Memory = OperatorModel::Memory;
    rows.add({"bmm"}, symbolic::product<0>, symbolic::askProduct<0>, Memory::New,
             InInductor{decomposed::bmm});
    rows.add({"mm"}, symbolic::product<0>, symbolic::askProduct<0>, Memory::New, InInductor{decomposed::mm});
    rows.add({"addmm"}, symbolic::product<1>, symbolic::askProduct<1>, InInductor{decomposed::addmm});
    rows.add({"matmul"}, ForComposite{decomposed::matmul});
    rows.add({"addmv"}, InInductor{decomposed::addmv});
    rows.add({"baddbmm"}, symbolic::product<1>, symbolic::askProduct<1>, InCore{decomposed::baddbmm});
    rows.add({"mv"}, symbolic::askLastLength, decomposed::mv);
    rows.add({"dot"}, shapes::oneValue, symbolic::askLastLength, decomposed::dot);
    rows.add({"vdot"}, shapes::oneValue, decomposed::vdot);
    rows.add({"addr"}, decomposed::addr, OperatorTrait::BatchedByDecomposition);
    rows.add({"_euclidean_dist"}, decomposed::euclideanDistance);
    rows.add({"linalg_cross"}, decomposed::cross);
    rows.add({"renorm"}, decomposed::renorm);
    rows.add({"cholesky"}, cholesky);
    rows.add({"cholesky_inverse"}, columnMajorLikeSelf);
    rows.add({"_cholesky_solve_helper"}, shapes::columnMajorLike<0>);
    rows.add({"cholesky_solve"}, choleskySolve);
    rows.add({"linalg_householder_product"}, shapes::columnMajorLike<0>);
    rows.add({"geqrf"}, geqrf, symbolic::reflectors);
    rows.add({"ormqr"}, shapes::columnMajorLike<2>);
    rows.add({"_linalg_eigvals"}, eigenvalues);
    rows.add({"linalg_eig"}, eigenvectors);
    rows.add({"linalg_matrix_exp"}, matrixExp);
    rows.add({"linalg_solve_triangular"}, solveTriangular);
    rows.add({"_linalg_svd"}, svd, symbolic::singularValues);
    rows.add({"_cdist_forward"}, cdistForward, symbolic::distances);
    rows.add({"_cdist_backward"}, cdistBackward);
    rows.add({"_pdist_forward"}, pdistForward, symbolic::pairs);
    rows.add({"_pdist_backward"}, shapes::contiguousLike<1>);
    rows.add({"addbmm"}, addbmm);
    rows.add({"mm.dtype", "bmm.dtype", "_scaled_mm", "_scaled_mm_v2"}, matrixProduct);
    rows.add({"_grouped_mm", "_scaled_grouped_mm"}, groupedProduct);
    rows.add({"_int_mm"}, intMatrixProduct);
    rows.add({"_weight_int8pack_mm", "_weight_int4pack_mm_for_cpu"}, byWeightRows);
    rows.add({"_weight_int4pack_mm"}, byPackedRows);
    rows.add({"linear_backward"}, linearBackward);
    rows.add({"linalg_qr"}, symbolic::orthogonal);
    rows.add({"linalg_lu_factor_ex"}, symbolic::factored);
    rows.add({"linalg_lu"}, symbolic::triangles);
    rows.add({"lu_unpack"}, symbolic::unpacked);
    rows.add({"_convert_weight_to_int4pack"}, packInt4);
    rows.add({"_convert_weight_to_int4pack_for_cpu"}, packInt4ForCpu);
}

} // namespace aotscope::torch
