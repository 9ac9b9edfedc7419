#include "operators/operator_rows.h"

#include "decompositions/all_decompositions.h"
#include "decompositions/aten_operators.h"
#include "fake/meta/layouts.h"
#include "fake/meta/rules.h"

/// Recurrent networks and their cells.
namespace aotscope::torch {

namespace {

/// The sizes of a sequence with `features` in its last dimension.
Sizes sequenceSizes(const at::Tensor& input, std::int64_t features) {
    return {input.size(0), input.size(1), features};
}

at::Tensor likeOrNothing(const at::Tensor& state, const at::Tensor& input) {
    return state.defined() ? emptyContiguous(state) : newEmpty(input, {0}, c10::kFloat);
}

ShapeResults fusedLstmCellBackward(const ShapeCall& call) {
    if (!call.tensor("grad_hy").defined() && !call.tensor("grad_cy").defined()) {
        return {at::Tensor(), at::Tensor(), at::Tensor()};
    }
    const at::Tensor workspace = call.tensor("workspace");
    return {emptyContiguous(workspace), emptyContiguous(call.tensor("cx")),
            call.flag("has_bias") ? newEmpty(workspace, {workspace.size(1)}) : at::Tensor()};
}

ShapeResults fusedGruCellBackward(const ShapeCall& call) {
    const at::Tensor grad = call.tensor("grad_hy");
    const at::Tensor workspace = call.tensor("workspace");
    const Sizes gates = {workspace.size(0), workspace.size(1) / 5 * 3};
    const bool bias = call.flag("has_bias");
    return {newEmpty(workspace, gates), newEmpty(workspace, gates), emptyContiguous(grad),
            bias ? newEmpty(workspace, {gates[1]}) : at::Tensor(),
            bias ? newEmpty(workspace, {gates[1]}) : at::Tensor()};
}

ShapeResults cudnnRnn(const ShapeCall& call) {
    const at::Tensor input = call.tensor("input");
    const at::Tensor hidden = call.tensor("hx");
    const at::Tensor cell = call.tensor("cx");
    const Sizes packed = call.integers("batch_sizes");
    const std::int64_t directions = call.flag("bidirectional") ? 2 : 1;
    const std::int64_t projected = call.integer("proj_size");
    const std::int64_t features = projected != 0 ? projected : call.integer("hidden_size");
    const std::int64_t batch = packed.empty() ? input.size(call.flag("batch_first") ? 0 : 1) : packed.front();
    const std::int64_t layers = call.integer("num_layers") * directions;
    const at::Tensor output = packed.empty() ? newEmpty(input, sequenceSizes(input, features * directions))
                                             : newEmpty(input, {input.size(0), features * directions});
    return {output, newEmpty(hidden, {layers, batch, features}),
            cell.defined() ? newEmpty(cell, {layers, batch, call.integer("hidden_size")})
                           : newEmpty(input, {0}, c10::kFloat),
            newEmpty(input, {0}, c10::kByte), call.tensor("weight_buf")};
}

ShapeResults mkldnnRnnLayer(const ShapeCall& call) {
    const at::Tensor input = call.tensor("input");
    return {newEmpty(input, sequenceSizes(input, call.integer("hidden_size"))),
            likeOrNothing(call.tensor("hx_"), input), likeOrNothing(call.tensor("cx_"), input),
            newEmpty(input, {0}, c10::kByte)};
}

} // namespace

void addRecurrentRows(OperatorRows& rows) {
    rows.add({"rnn_tanh.input", "rnn_tanh.data"}, ForBoth{[](const DecompositionCall& call) {
                 return decomposed::recurrentNetwork(call, at::tanh);
             }});
    rows.add({"rnn_relu.input", "rnn_relu.data"}, ForBoth{[](const DecompositionCall& call) {
                 return decomposed::recurrentNetwork(call, at::relu);
             }});
    rows.add({"gru.input", "gru.data"}, ForBoth{decomposed::gru});
    rows.add({"lstm.input", "lstm.data"}, ForBoth{decomposed::lstm});
    rows.add({"_thnn_fused_lstm_cell"}, shapes::contiguousLike<2, 2, 0>);
    rows.add({"_thnn_fused_lstm_cell_backward_impl"}, fusedLstmCellBackward);
    // Besides the hidden state, five values per unit are saved: its three gates and two more.
    rows.add({"_thnn_fused_gru_cell"}, [](const ShapeCall& call) -> ShapeResults {
        const at::Tensor hidden = call.tensor("hx");
        return {emptyContiguous(hidden), newEmpty(hidden, {hidden.size(0), hidden.size(1) * 5})};
    });
    rows.add({"_thnn_fused_gru_cell_backward"}, fusedGruCellBackward);
    rows.add({"_cudnn_rnn"}, cudnnRnn);
    rows.add({"mkldnn_rnn_layer"}, mkldnnRnnLayer);
    rows.add({"mkldnn_rnn_layer_backward"}, shapes::contiguousLike<0, 1, 2, 3, 3, 5, 6>);
}

} // namespace aotscope::torch
