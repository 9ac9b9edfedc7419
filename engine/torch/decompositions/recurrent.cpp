#include "base/mapped.h"
#include "decompositions/all_decompositions.h"
#include "decompositions/python_arithmetic.h"
#include "dispatch/libtorch_release.h"

#include <ATen/Context.h>

#include <algorithm>
#include <functional>

/// Recurrent layers unrolled over their time steps. Follows torch 2.11, torch/_decomp/decompositions.py:
/// one_layer_rnn, one_layer_lstm, gru_impl and others.
namespace aotscope::torch::decomposed {

namespace {

/// Weights and biases of one layer in one direction.
struct LayerParameters {
    at::Tensor inputWeight;
    at::Tensor hiddenWeight;
    std::optional<at::Tensor> inputBias;
    std::optional<at::Tensor> hiddenBias;
    std::optional<at::Tensor> projection;
};

/// The hidden state, and the cell state of an LSTM.
struct State {
    at::Tensor hidden;
    at::Tensor cell;
};

struct LayerOutput {
    at::Tensor steps;
    State last;
};

using Layer = std::function<LayerOutput(const at::Tensor& input, const State& start,
                                        const LayerParameters& parameters, bool reverse)>;
using Cell = std::function<at::Tensor(const at::Tensor& input, const at::Tensor& hidden,
                                      const LayerParameters& parameters)>;

std::vector<LayerParameters> gatherParameters(const std::vector<at::Tensor>& flat, bool biases,
                                              bool projections) {
    const std::size_t each = 2 + (biases ? 2U : 0U) + (projections ? 1U : 0U);
    TORCH_CHECK(flat.size() % each == 0, flat.size(), " parameters are no multiple of the ", each,
                " that each layer of the recurrent network takes");
    std::vector<LayerParameters> layers;
    for (std::size_t i = 0; i < flat.size(); i += each) {
        LayerParameters layer{flat[i], flat[i + 1], {}, {}, {}};
        if (biases) {
            layer.inputBias = flat[i + 2];
            layer.hiddenBias = flat[i + 3];
        }
        if (projections) {
            layer.projection = flat[i + each - 1];
        }
        layers.push_back(std::move(layer));
    }
    return layers;
}

std::vector<std::int64_t> packedSizes(const at::Tensor& batchSizes) {
    TORCH_CHECK(batchSizes.has_storage() && !batchSizes.is_meta() && !batchSizes.key_set().has(traceKey),
                "The batch sizes of a packed sequence are data, which a trace does not have; pad the "
                "sequence (torch.nn.utils.rnn.pad_packed_sequence) before it is compiled.");
    const at::Tensor sizes = batchSizes.contiguous();
    const auto* data = sizes.const_data_ptr<std::int64_t>();
    return {data, data + sizes.numel()};
}

/// A layer over a padded sequence: the input's part of the gates is computed for all steps at once.
LayerOutput paddedLayer(const Cell& cell, const at::Tensor& input, const State& start,
                        const LayerParameters& parameters, bool reverse) {
    at::Tensor precomputed = at::linear(input, parameters.inputWeight, parameters.inputBias);
    if (reverse) {
        precomputed = precomputed.flip(0);
    }
    at::Tensor hidden = start.hidden.unsqueeze(0);
    std::vector<at::Tensor> steps;
    for (const at::Tensor& step : precomputed.unbind(0)) {
        hidden = cell(step, hidden, parameters);
        steps.push_back(hidden);
    }
    if (reverse) {
        std::reverse(steps.begin(), steps.end());
    }
    at::Tensor output = at::cat(steps, 0);
    return {std::move(output), {hidden.squeeze(0), {}}};
}

/// A layer over a packed sequence, whose batch shrinks from step to step (grows, in reverse).
LayerOutput packedLayer(const Cell& cell, const std::vector<std::int64_t>& batchSizes,
                        const at::Tensor& input, const State& start, const LayerParameters& parameters,
                        bool reverse) {
    std::vector<at::Tensor> steps;
    std::vector<at::Tensor> finished;
    std::int64_t last = reverse ? batchSizes.back() : batchSizes.front();
    at::Tensor hidden = start.hidden.narrow(0, 0, last);
    std::vector<at::Tensor> inputs = at::split_with_sizes(input, batchSizes);
    if (reverse) {
        std::reverse(inputs.begin(), inputs.end());
    }
    for (const at::Tensor& step : inputs) {
        const std::int64_t size = step.size(0);
        if (size != last && reverse) {
            hidden = at::cat({hidden, start.hidden.narrow(0, last, size - last)});
        } else if (size != last) {
            finished.push_back(hidden.narrow(0, size, last - size));
            hidden = hidden.narrow(0, 0, size);
        }
        hidden = cell(step, hidden, parameters);
        last = size;
        steps.push_back(hidden);
    }
    if (reverse) {
        std::reverse(steps.begin(), steps.end());
        return {at::cat(steps, 0), {hidden, {}}};
    }
    finished.push_back(hidden);
    std::reverse(finished.begin(), finished.end());
    at::Tensor output = at::cat(steps, 0);
    return {std::move(output), {at::cat(finished, 0), {}}};
}

State lstmCell(const at::Tensor& input, const State& state, const LayerParameters& parameters,
               std::int64_t gateDim) {
    const at::Tensor gates = at::linear(state.hidden, parameters.hiddenWeight, parameters.hiddenBias) + input;
    const std::vector<at::Tensor> chunks = gates.chunk(4, gateDim);
    const at::Tensor inGate = chunks[0].sigmoid();
    const at::Tensor forgetGate = chunks[1].sigmoid();
    const at::Tensor cellGate = chunks[2].tanh();
    const at::Tensor outGate = chunks[3].sigmoid();
    const at::Tensor kept = forgetGate * state.cell;
    const at::Tensor cell = kept + inGate * cellGate;
    at::Tensor hidden = outGate * cell.tanh();
    if (parameters.projection) {
        hidden = at::linear(hidden, *parameters.projection);
    }
    return {hidden, cell};
}

LayerOutput lstmLayer(const at::Tensor& input, const State& start, const LayerParameters& parameters,
                      bool reverse) {
    at::Tensor hidden = start.hidden.unsqueeze(0);
    State state{std::move(hidden), start.cell.unsqueeze(0)};
    at::Tensor precomputed = at::linear(input, parameters.inputWeight, parameters.inputBias);
    if (reverse) {
        precomputed = precomputed.flip(0);
    }
    std::vector<at::Tensor> steps;
    for (const at::Tensor& step : precomputed.unbind(0)) {
        state = lstmCell(step, state, parameters, 2);
        steps.push_back(state.hidden);
    }
    if (reverse) {
        std::reverse(steps.begin(), steps.end());
    }
    at::Tensor output = at::cat(steps, 0);
    at::Tensor last = state.hidden.squeeze(1);
    return {std::move(output), {std::move(last), state.cell.squeeze(1)}};
}

LayerOutput packedLstmLayer(const std::vector<std::int64_t>& batchSizes, const at::Tensor& input,
                            const State& start, const LayerParameters& parameters, bool reverse) {
    std::vector<at::Tensor> steps;
    std::vector<State> finished;
    std::int64_t last = reverse ? batchSizes.back() : batchSizes.front();
    std::vector<at::Tensor> inputs = at::split_with_sizes(input, batchSizes);
    if (reverse) {
        std::reverse(inputs.begin(), inputs.end());
    }
    at::Tensor firstHidden = start.hidden.narrow(0, 0, last);
    State state{std::move(firstHidden), start.cell.narrow(0, 0, last)};
    for (const at::Tensor& step : inputs) {
        const std::int64_t size = step.size(0);
        const at::Tensor gates = at::linear(step, parameters.inputWeight, parameters.inputBias);
        if (size < last) {
            at::Tensor doneHidden = state.hidden.narrow(0, size, last - size);
            finished.push_back({std::move(doneHidden), state.cell.narrow(0, size, last - size)});
            at::Tensor hidden = state.hidden.narrow(0, 0, size);
            state = {std::move(hidden), state.cell.narrow(0, 0, size)};
        } else if (size > last) {
            at::Tensor hidden = at::cat({state.hidden, start.hidden.narrow(0, last, size - last)}, 0);
            state = {std::move(hidden), at::cat({state.cell, start.cell.narrow(0, last, size - last)}, 0)};
        }
        state = lstmCell(gates, state, parameters, 1);
        last = size;
        steps.push_back(state.hidden);
    }
    if (reverse) {
        std::reverse(steps.begin(), steps.end());
    } else {
        finished.push_back(state);
        std::reverse(finished.begin(), finished.end());
        std::vector<at::Tensor> hidden;
        std::vector<at::Tensor> cells;
        for (const State& done : finished) {
            hidden.push_back(done.hidden);
            cells.push_back(done.cell);
        }
        at::Tensor allHidden = at::cat(hidden, 0);
        state = {std::move(allHidden), at::cat(cells, 0)};
    }
    return {at::cat(steps, 0), std::move(state)};
}

/// One oneDNN operator for the whole layer.
LayerOutput mkldnnLstmLayer(const at::Tensor& input, const State& start, const LayerParameters& parameters,
                            bool reverse) {
    constexpr std::int64_t lstmMode = 2;
    const auto biasOr = [](const std::optional<at::Tensor>& bias, const at::Tensor& weight) {
        return bias ? *bias : at::zeros_symint(weight.sym_sizes(), python::options({}, c10::kCPU));
    };
    const at::Tensor inputBias = biasOr(parameters.inputBias, parameters.inputWeight);
    const at::Tensor hiddenBias = biasOr(parameters.hiddenBias, parameters.hiddenWeight);
    at::Tensor hidden = start.hidden.unsqueeze(0);
    at::Tensor cell = start.cell.unsqueeze(0);
    const at::Tensor contiguous = input.contiguous();
    hidden = hidden.contiguous();
    cell = cell.contiguous();
    const auto [output, lastHidden, lastCell, workspace] = at::mkldnn_rnn_layer(
        contiguous, parameters.inputWeight, parameters.hiddenWeight, inputBias, hiddenBias, hidden, cell,
        reverse, {}, lstmMode, hidden.size(2), 1, parameters.inputBias.has_value(), false, false, false);
    at::Tensor last = lastHidden.squeeze(0);
    return {output, {std::move(last), lastCell.squeeze(0)}};
}

bool mkldnnServes(const at::Tensor& input, const std::vector<at::Tensor>& states,
                  const std::vector<at::Tensor>& parameters, bool projections) {
    const auto fits = [](const at::Tensor& tensor) {
        return tensor.is_cpu() &&
               (tensor.scalar_type() == c10::kFloat || tensor.scalar_type() == c10::kBFloat16);
    };
    return at::globalContext().userEnabledMkldnn() && !input.requires_grad() && !projections && fits(input) &&
           std::all_of(states.begin(), states.end(), fits) &&
           std::all_of(parameters.begin(), parameters.end(), fits);
}

/// All layers in both directions. As in PyTorch's decomposition, no dropout is applied between the layers.
at::Tensor runLayers(const DecompositionCall& call, at::Tensor input, const std::vector<State>& starts,
                     const std::vector<LayerParameters>& parameters, bool batchFirst, const Layer& layer,
                     std::vector<State>& finals) {
    if (batchFirst) {
        input = input.transpose(0, 1);
    }
    const bool bidirectional = call.flag("bidirectional");
    const auto layers = static_cast<std::size_t>(call.integer("num_layers"));
    for (std::size_t i = 0; i < layers; ++i) {
        const std::size_t slot = bidirectional ? 2 * i : i;
        const LayerOutput forward = layer(input, starts.at(slot), parameters.at(slot), false);
        finals.push_back(forward.last);
        if (!bidirectional) {
            input = forward.steps;
            continue;
        }
        const LayerOutput backward = layer(input, starts.at(slot + 1), parameters.at(slot + 1), true);
        finals.push_back(backward.last);
        input = at::cat({forward.steps, backward.steps}, forward.steps.dim() - 1);
    }
    if (batchFirst) {
        input = input.transpose(0, 1);
    }
    return input;
}

std::vector<at::Tensor> hiddenOf(const std::vector<State>& states) {
    std::vector<at::Tensor> hidden;
    hidden.reserve(states.size());
    for (const State& state : states) {
        hidden.push_back(state.hidden);
    }
    return hidden;
}

/// A network with one state: plain recurrent layers and GRUs.
Decomposed plainNetwork(const DecompositionCall& call, const Cell& padded, const Cell& packed) {
    const bool isPacked = call.schema().overload_name() == "data";
    std::vector<State> starts;
    for (at::Tensor& hidden : call.tensor("hx").unbind(0)) {
        starts.push_back({std::move(hidden), {}});
    }
    const auto parameters = gatherParameters(call.tensors("params"), call.flag("has_biases"), false);
    std::vector<State> finals;
    if (isPacked) {
        const std::vector<std::int64_t> sizes = packedSizes(call.tensor("batch_sizes"));
        const Layer layer = [&](const at::Tensor& input, const State& start, const LayerParameters& given,
                                bool reverse) {
            return packedLayer(packed, sizes, input, start, given, reverse);
        };
        at::Tensor output = runLayers(call, call.tensor("data"), starts, parameters, false, layer, finals);
        return {std::move(output), at::stack(hiddenOf(finals), 0)};
    }
    const Layer layer = [&](const at::Tensor& input, const State& start, const LayerParameters& given,
                            bool reverse) { return paddedLayer(padded, input, start, given, reverse); };
    at::Tensor output =
        runLayers(call, call.tensor("input"), starts, parameters, call.flag("batch_first"), layer, finals);
    return {std::move(output), at::stack(hiddenOf(finals), 0)};
}

using Nonlinearity = at::Tensor (*)(const at::Tensor&);

Decomposed recurrentNetwork(const DecompositionCall& call, Nonlinearity nonlinearity) {
    const Cell padded = [&](const at::Tensor& input, const at::Tensor& hidden, const LayerParameters& given) {
        return nonlinearity(at::linear(hidden, given.hiddenWeight, given.hiddenBias) + input);
    };
    const Cell packed = [&](const at::Tensor& input, const at::Tensor& hidden, const LayerParameters& given) {
        const at::Tensor own = at::linear(input, given.inputWeight, given.inputBias);
        return nonlinearity(at::linear(hidden, given.hiddenWeight, given.hiddenBias) + own);
    };
    return plainNetwork(call, padded, packed);
}

at::Tensor gruGates(const std::vector<at::Tensor>& fromInput, const std::vector<at::Tensor>& fromHidden,
                    const at::Tensor& hidden) {
    const at::Tensor resetGate = (fromHidden[0] + fromInput[0]).sigmoid();
    const at::Tensor inputGate = (fromHidden[1] + fromInput[1]).sigmoid();
    const at::Tensor newGate = (fromInput[2] + fromHidden[2] * resetGate).tanh();
    return (hidden - newGate) * inputGate + newGate;
}

} // namespace

Decomposed rnnTanh(const DecompositionCall& call) {
    return recurrentNetwork(call, at::tanh);
}

Decomposed rnnRelu(const DecompositionCall& call) {
    return recurrentNetwork(call, at::relu);
}

Decomposed gru(const DecompositionCall& call) {
    const Cell padded = [](const at::Tensor& input, const at::Tensor& hidden, const LayerParameters& given) {
        const std::vector<at::Tensor> fromInput = input.chunk(3, 1);
        return gruGates(fromInput, at::linear(hidden, given.hiddenWeight, given.hiddenBias).chunk(3, 2),
                        hidden);
    };
    const Cell packed = [](const at::Tensor& input, const at::Tensor& hidden, const LayerParameters& given) {
        const std::vector<at::Tensor> fromInput =
            at::linear(input, given.inputWeight, given.inputBias).chunk(3, 1);
        return gruGates(fromInput, at::linear(hidden, given.hiddenWeight, given.hiddenBias).chunk(3, 1),
                        hidden);
    };
    return plainNetwork(call, padded, packed);
}

Decomposed lstm(const DecompositionCall& call) {
    const std::vector<at::Tensor> states = call.tensors("hx");
    TORCH_CHECK(states.size() == 2, "lstm expects two hidden states, got ", states.size());
    const std::vector<at::Tensor> flat = call.tensors("params");
    const bool projections =
        states[0].sym_size(2).sym_ne(states[1].sym_size(2)).guard_bool(__FILE__, __LINE__);
    const auto parameters = gatherParameters(flat, call.flag("has_biases"), projections);
    const std::vector<at::Tensor> hidden = states[0].unbind(0);
    const std::vector<at::Tensor> cells = states[1].unbind(0);
    std::vector<State> starts;
    for (std::size_t i = 0; i < hidden.size(); ++i) {
        starts.push_back({hidden[i], cells.at(i)});
    }
    std::vector<State> finals;
    at::Tensor output;
    if (call.schema().overload_name() == "data") {
        const std::vector<std::int64_t> sizes = packedSizes(call.tensor("batch_sizes"));
        const Layer layer = [&](const at::Tensor& input, const State& start, const LayerParameters& given,
                                bool reverse) {
            return packedLstmLayer(sizes, input, start, given, reverse);
        };
        output = runLayers(call, call.tensor("data"), starts, parameters, false, layer, finals);
    } else {
        const at::Tensor input = call.tensor("input");
        const Layer layer = mkldnnServes(input, states, flat, projections) ? mkldnnLstmLayer : lstmLayer;
        output = runLayers(call, input, starts, parameters, call.flag("batch_first"), layer, finals);
    }
    auto lastCells = base::mapped(finals, [](const State& state) { return state.cell; });
    at::Tensor lastHidden = at::stack(hiddenOf(finals), 0);
    return {std::move(output), std::move(lastHidden), at::stack(lastCells, 0)};
}

} // namespace aotscope::torch::decomposed
