#include "ir/operators/operator_table.h"

/// Operators that read or write by index, or work on rows of different lengths.
namespace aotscope::ir::detail {

void addIndexing(OperatorTable& table) {
    using enum Trait;
    table.add({"aten.index"}, Recomputable | LooksUp | TakesElements,
              {.indexes = {{1, Below::PerDimension, 0, 0, true}}});
    table.add({"aten.gather"}, Recomputable | LooksUp | TakesElements,
              {.indexes = {{2, Below::SizeAlongArgument, 0, 1}}});
    table.add({"aten.embedding"}, LooksUp, {.indexes = {{1, Below::Size}}});
    table.add({"aten._unsafe_index"}, LooksUp | TakesElements,
              {.indexes = {{1, Below::PerDimension, 0, 0, true}}});
    table.add({"aten.index_select"}, LooksUp | TakesElements,
              {.indexes = {{2, Below::SizeAlongArgument, 0, 1}}});
    table.add({"aten.take"}, LooksUp, {.indexes = {{1, Below::Elements, 0, 0, true}}});
    table.add({"aten.embedding_bag"}, {}, {.indexes = {{1, Below::Size}}, .rowOffsets = {{2, 1}}});
    table.add({"aten._embedding_bag", "aten._embedding_bag_forward_only"}, CanEndProcess,
              {.indexes = {{1, Below::Size}}, .rowOffsets = {{2, 1}}});
    table.add({"aten._embedding_bag_backward"}, CanEndProcess,
              {.indexes = {{1, Below::Integer, 6}, {3, Below::Size}, {5, Below::Integer, 6, 0, true}},
               .rowOffsets = {{2, 1}}});
    table.add({"aten._embedding_bag_dense_backward"}, CanEndProcess,
              {.indexes = {{1, Below::Integer, 5}, {2, Below::Size}, {4, Below::Integer, 5, 0, true}}});
    table.add({"aten._embedding_bag_per_sample_weights_backward"}, CanEndProcess,
              {.indexes = {{2, Below::Size, 1}, {4, Below::Size}}});
    table.add({"aten.embedding_renorm_"}, {}, {.indexes = {{1, Below::Size}}});
    table.add({"aten.embedding_dense_backward", "aten.embedding_sparse_backward", "aten.embedding_backward"},
              {}, {.indexes = {{1, Below::Integer, 2}}});
    table.add({"aten.index_put", "aten.index_put_", "aten._unsafe_index_put", "aten._index_put_impl",
               "aten._index_put_impl_"},
              PutsElements, {.indexes = {{1, Below::PerDimension, 0, 0, true}}});
    table.add({"aten.gather_backward"}, {}, {.indexes = {{3, Below::SizeAlongArgument, 1, 2}}});
    table.add({"aten.scatter", "aten.scatter_", "aten.scatter_add", "aten.scatter_add_",
               "aten.scatter_reduce", "aten.scatter_reduce_", "aten.index_add", "aten.index_add_",
               "aten.index_copy", "aten.index_copy_", "aten.index_fill", "aten.index_fill_",
               "aten.index_reduce"},
              {}, {.indexes = {{2, Below::SizeAlongArgument, 0, 1}}});
    table.add({"aten.put", "aten.put_"}, {}, {.indexes = {{1, Below::Elements, 0, 0, true}}});
    table.add({"aten._convert_indices_from_coo_to_csr"}, CanEndProcess,
              {.indexes = {{0, Below::Integer, 1}}});
    table.add({"aten._sparse_coo_tensor_unsafe"}, CanEndProcess, {.indexes = {{0, Below::Smallest, 2}}});
    table.add({"aten._sparse_coo_tensor_with_dims_and_tensors"}, CanEndProcess,
              {.indexes = {{3, Below::Smallest, 2}}});
    table.add({"aten._sparse_csr_tensor_unsafe", "aten._sparse_csc_tensor_unsafe",
               "aten._sparse_compressed_tensor_unsafe"},
              CanEndProcess, {.indexes = {{1, Below::Smallest, 3}}, .trustedOffsets = {{0, 1}}});
    table.add({"aten.one_hot"}, {}, {.indexes = {{0, Below::Integer, 1}}});
    table.add({"aten._convert_indices_from_csr_to_coo"}, CanEndProcess,
              {.trustedOffsets = {{0, 1}}, .rowOffsets = {{0, 1}}});
    table.add({"aten._jagged_to_padded_dense_forward"}, CanEndProcess,
              {.trustedOffsets = {{1, 0}}, .rowOffsets = {{1, 0}}});
    table.add({"aten._padded_dense_to_jagged_forward"}, CanEndProcess, {.trustedOffsets = {{1, 2}}});
    table.add({"aten._nested_view_from_jagged", "aten._nested_view_from_jagged_copy"}, CanEndProcess,
              {.rowOffsets = {{1, 0}}});
    table.add({"aten.segment_reduce"}, CanEndProcess, {.segmented = 0});
    table.add({"aten._segment_reduce_backward"}, CanEndProcess, {.segmented = 2});
    table.add({"aten.histc", "aten.bincount"}, {}, {.deed = "counts values"});
    table.add({"aten._nested_view_from_buffer", "aten._nested_view_from_buffer_copy",
               "aten._sparse_bsc_tensor_unsafe", "aten._sparse_bsr_tensor_unsafe"},
              CanEndProcess);
}

} // namespace aotscope::ir::detail
