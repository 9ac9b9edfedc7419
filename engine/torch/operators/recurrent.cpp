#include "operators/operator_rows.h"

#include "decompositions/all_decompositions.h"
#include "fake/meta/rules.h"

/// Recurrent networks and their cells.
namespace aotscope::torch {

void addRecurrentRows(OperatorRows& rows) {
    rows.add({"rnn_tanh.input", "rnn_tanh.data"}, ForBoth{decomposed::rnnTanh});
    rows.add({"rnn_relu.input", "rnn_relu.data"}, ForBoth{decomposed::rnnRelu});
    rows.add({"gru.input", "gru.data"}, ForBoth{decomposed::gru});
    rows.add({"lstm.input", "lstm.data"}, ForBoth{decomposed::lstm});
    rows.add({"_thnn_fused_lstm_cell"}, shapes::fusedLstmCell);
    rows.add({"_thnn_fused_lstm_cell_backward_impl"}, shapes::fusedLstmCellBackward);
    rows.add({"_thnn_fused_gru_cell"}, shapes::fusedGruCell);
    rows.add({"_thnn_fused_gru_cell_backward"}, shapes::fusedGruCellBackward);
    rows.add({"_cudnn_rnn"}, shapes::cudnnRnn);
    rows.add({"mkldnn_rnn_layer"}, shapes::mkldnnRnnLayer);
    rows.add({"mkldnn_rnn_layer_backward"}, shapes::mkldnnRnnLayerBackward);
}

} // namespace aotscope::torch
