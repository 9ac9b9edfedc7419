#include "operators/operator_rows.h"

#include "decompositions/all_decompositions.h"
#include "fake/meta/rules.h"
#include "fake/models/symbolic_shapes.h"

/// Products, factorizations, distances.
namespace aotscope::torch {

void addLinearAlgebraRows(OperatorRows& rows) {
    using Memory = OperatorModel::Memory;
    rows.add({"bmm"}, symbolic::product, symbolic::askProduct, Memory::New, InInductor{decomposed::bmm});
    rows.add({"mm"}, symbolic::product, symbolic::askProduct, Memory::New, InInductor{decomposed::mm});
    rows.add({"addmm"}, symbolic::addedProduct, symbolic::askAddedProduct, InInductor{decomposed::addmm});
    rows.add({"matmul"}, ForComposite{decomposed::matmul});
    rows.add({"addmv"}, InInductor{decomposed::addmv});
    rows.add({"baddbmm"}, symbolic::addedProduct, symbolic::askAddedProduct, InCore{decomposed::baddbmm});
    rows.add({"mv"}, symbolic::askLastLength, decomposed::mv);
    rows.add({"dot"}, shapes::oneValue, symbolic::askLastLength, decomposed::dot);
    rows.add({"vdot"}, shapes::oneValue, decomposed::vdot);
    rows.add({"addr"}, decomposed::addr, OperatorTrait::BatchedByDecomposition);
    rows.add({"_euclidean_dist"}, decomposed::euclideanDistance);
    rows.add({"linalg_cross"}, decomposed::cross);
    rows.add({"renorm"}, decomposed::renorm);
    rows.add({"cholesky"}, shapes::cholesky);
    rows.add({"cholesky_inverse"}, shapes::columnMajorLikeSelf);
    rows.add({"_cholesky_solve_helper"}, shapes::choleskySolveHelper);
    rows.add({"cholesky_solve"}, shapes::choleskySolve);
    rows.add({"linalg_householder_product"}, shapes::householderProduct);
    rows.add({"geqrf"}, shapes::geqrf, symbolic::reflectors);
    rows.add({"ormqr"}, shapes::ormqr);
    rows.add({"_linalg_eigvals"}, shapes::eigenvalues);
    rows.add({"linalg_eig"}, shapes::eigenvectors);
    rows.add({"linalg_matrix_exp"}, shapes::matrixExp);
    rows.add({"linalg_solve_triangular"}, shapes::solveTriangular);
    rows.add({"_linalg_svd"}, shapes::svd, symbolic::singularValues);
    rows.add({"_cdist_forward"}, shapes::cdistForward, symbolic::distances);
    rows.add({"_cdist_backward"}, shapes::cdistBackward);
    rows.add({"_pdist_forward"}, shapes::pdistForward, symbolic::pairs);
    rows.add({"_pdist_backward"}, shapes::contiguousLikeSelf);
    rows.add({"addbmm"}, shapes::addbmm);
    rows.add({"mm.dtype", "bmm.dtype", "_scaled_mm", "_scaled_mm_v2"}, shapes::matrixProduct);
    rows.add({"_grouped_mm", "_scaled_grouped_mm"}, shapes::groupedProduct);
    rows.add({"_int_mm"}, shapes::intMatrixProduct);
    rows.add({"_weight_int8pack_mm", "_weight_int4pack_mm_for_cpu"}, shapes::byWeightRows);
    rows.add({"_weight_int4pack_mm"}, shapes::byPackedRows);
    rows.add({"linear_backward"}, shapes::linearBackward);
    rows.add({"linalg_qr"}, symbolic::orthogonal);
    rows.add({"linalg_lu_factor_ex"}, symbolic::factored);
    rows.add({"linalg_lu"}, symbolic::triangles);
    rows.add({"lu_unpack"}, symbolic::unpacked);
    rows.add({"_convert_weight_to_int4pack"}, shapes::packInt4);
    rows.add({"_convert_weight_to_int4pack_for_cpu"}, shapes::packInt4ForCpu);
}

} // namespace aotscope::torch
