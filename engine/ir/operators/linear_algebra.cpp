#include "ir/operators/operator_table.h"

/// Products of matrices, convolutions, solvers.
namespace aotscope::ir::detail {

void addLinearAlgebra(OperatorTable& table) {
    using enum Trait;
    table.add({"aten.mm"}, ComputeIntensive | MultipliesMatrices | TensorFloat32,
              {.flops = {FlopRule::MatrixProduct}});
    table.add({"aten.convolution"}, ComputeIntensive | Convolves, {.flops = {FlopRule::Convolution}});
    table.add({"aten.convolution_backward"}, ComputeIntensive | Convolves,
              {.flops = {FlopRule::ConvolutionBackward}});
    table.add({"aten.bmm"}, ComputeIntensive | MultipliesMatrices | TensorFloat32,
              {.flops = {FlopRule::BatchProduct}});
    table.add({"aten.addmm"}, ComputeIntensive | MultipliesMatrices | TensorFloat32,
              {.flops = {FlopRule::MatrixProduct, 1}, .inductorName = "bias_addmm"});
    table.add({"aten._scaled_mm"}, ComputeIntensive, {.flops = {FlopRule::MatrixProduct}});
    table.add({"aten.lu_unpack"}, {},
              {.indexes = {{1, Below::PositionFromOne, 0, 2}}, .nonZero = positions(1)});
    table.add({"aten._linalg_det"}, LaterGradient);
    table.add({"aten.linalg_lu_solve"}, CanEndProcess,
              {.indexes = {{1, Below::PositionFromOne, 0, 2}}, .nonZero = positions(1)});
    table.add({"aten.lu_solve"}, CanEndProcess, {.indexes = {{2, Below::PositionFromOne, 1, 2}}});
    table.add({"aten.linalg_ldl_solve"}, CanEndProcess, {.indexes = {{1, Below::PivotFromOne, 0, 2}}});
    table.add({"aten.baddbmm"}, MultipliesMatrices | TensorFloat32, {.flops = {FlopRule::BatchProduct, 1}});
    table.add({"aten.mv", "aten.addmv", "aten.linear", "aten.matmul", "aten.addbmm"},
              MultipliesMatrices | TensorFloat32);
    table.add({"aten.dot", "aten.outer"}, MultipliesMatrices);
    table.add({"aten._convolution", "aten.cudnn_convolution", "aten.convolution_overrideable"}, Convolves,
              {.flops = {FlopRule::Convolution}});
    table.add({"aten._slow_conv2d_forward"}, {}, {.flops = {FlopRule::Convolution}});
    table.add({"aten._convolution_double_backward", "aten._convolution_mode",
               "aten.convolution_backward_overrideable", "aten.cudnn_convolution_relu",
               "aten.cudnn_convolution_add_relu", "aten.cudnn_convolution_transpose",
               "aten.miopen_convolution", "aten.miopen_convolution_relu", "aten.miopen_convolution_add_relu",
               "aten.miopen_convolution_transpose", "aten.miopen_depthwise_convolution"},
              Convolves);
    table.add({"aten._convert_weight_to_int4pack", "aten._convert_weight_to_int4pack_for_cpu",
               "aten._dyn_quant_matmul_4bit", "aten._weight_int4pack_mm", "aten._weight_int4pack_mm_for_cpu"},
              CanEndProcess);
}

} // namespace aotscope::ir::detail
