#include "passes/crash_facts.h"

#include "ir/bodies.h"
#include "ir/operator_name.h"

#include <algorithm>
#include <array>

namespace aotscope::passes {

namespace {

/// Without namespace: Dynamo's graphs call some of them as functions of `torch`.
constexpr std::array names = {
    std::string_view("_convert_indices_from_coo_to_csr"),
    std::string_view("_convert_indices_from_csr_to_coo"),
    std::string_view("_convert_weight_to_int4pack"),
    std::string_view("_convert_weight_to_int4pack_for_cpu"),
    std::string_view("_ctc_loss"),
    std::string_view("_ctc_loss_backward"),
    std::string_view("_dyn_quant_matmul_4bit"),
    std::string_view("_efficientzerotensor"),
    std::string_view("_embedding_bag"),
    std::string_view("_embedding_bag_backward"),
    std::string_view("_embedding_bag_dense_backward"),
    std::string_view("_embedding_bag_forward_only"),
    std::string_view("_embedding_bag_per_sample_weights_backward"),
    std::string_view("_jagged_to_padded_dense_forward"),
    std::string_view("_nested_view_from_buffer"),
    std::string_view("_nested_view_from_buffer_copy"),
    std::string_view("_nested_view_from_jagged"),
    std::string_view("_nested_view_from_jagged_copy"),
    std::string_view("_padded_dense_to_jagged_forward"),
    std::string_view("_reshape_alias"),
    std::string_view("_segment_reduce_backward"),
    std::string_view("_sparse_bsc_tensor_unsafe"),
    std::string_view("_sparse_bsr_tensor_unsafe"),
    std::string_view("_sparse_compressed_tensor_unsafe"),
    std::string_view("_sparse_coo_tensor_unsafe"),
    std::string_view("_sparse_coo_tensor_with_dims_and_tensors"),
    std::string_view("_sparse_csc_tensor_unsafe"),
    std::string_view("_sparse_csr_tensor_unsafe"),
    std::string_view("_weight_int4pack_mm"),
    std::string_view("_weight_int4pack_mm_for_cpu"),
    std::string_view("ctc_loss"),
    std::string_view("fractional_max_pool2d_backward"),
    std::string_view("fractional_max_pool3d_backward"),
    std::string_view("linalg_ldl_solve"),
    std::string_view("linalg_lu_solve"),
    std::string_view("lu_solve"),
    std::string_view("segment_reduce"),
};
static_assert(std::ranges::is_sorted(names));

/// Operators of libraries that pack their arguments and check little.
constexpr std::array spaces = {std::string_view("_quantized."), std::string_view("fbgemm."),
                               std::string_view("mkl."),        std::string_view("mkldnn."),
                               std::string_view("onednn."),     std::string_view("quantized.")};

} // namespace

bool canEndProcess(std::string_view target) {
    if (std::ranges::any_of(spaces, [&](std::string_view space) { return target.starts_with(space); })) {
        return true;
    }
    return std::ranges::binary_search(names, ir::functionName(target));
}

bool canEndProcess(const ir::Graph& graph) {
    const auto holds = [](const ir::Graph& each) {
        return std::ranges::any_of(each.order(), [&](ir::NodeId id) {
            const ir::Node& node = each.node(id);
            return node.op == ir::Opcode::CallFunction && canEndProcess(node.target);
        });
    };
    return holds(graph) || ir::anyBody(graph, holds);
}

} // namespace aotscope::passes
