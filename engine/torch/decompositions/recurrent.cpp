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

/// The hidden state, and behind it the cell state of an LSTM.
using State = std::vector<at::Tensor>;

struct LayerOutput {
    at::Tensor steps;
    State last;
};

using Layer = std::function<LayerOutput(const at::Tensor& input, const State& start,
                                        const LayerParameters& parameters, bool reverse)>;
using Cell =
    std::function<State(const at::Tensor& input, const State& state, const LayerParameters& parameters)>;

/// What each step of a layer computes. The functions for an LSTM do some things in another order than those
/// for other networks.
struct Cells {
    Cell padded;
    Cell packed;
    bool isLstm = false;
};

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
LayerOutput paddedLayer(const Cells& cells, const at::Tensor& input, const State& start,
                        const LayerParameters& parameters, bool reverse) {
    State state;
    const auto begin = [&] {
        state = base::mapped(start, [](const at::Tensor& part) { return part.unsqueeze(0); });
    };
    if (cells.isLstm) {
        begin();
    }
    at::Tensor precomputed = at::linear(input, parameters.inputWeight, parameters.inputBias);
    if (reverse) {
        precomputed = precomputed.flip(0);
    }
    if (!cells.isLstm) {
        begin();
    }
    std::vector<at::Tensor> steps;
    for (const at::Tensor& step : precomputed.unbind(0)) {
        state = cells.padded(step, state, parameters);
        steps.push_back(state.front());
    }
    if (reverse) {
        std::reverse(steps.begin(), steps.end());
    }
    at::Tensor output = at::cat(steps, 0);
    const std::int64_t dim = cells.isLstm ? 1 : 0;
    return {std::move(output),
            base::mapped(state, [&](const at::Tensor& part) { return part.squeeze(dim); })};
}

State narrowed(const State& state, std::int64_t first, std::int64_t length) {
    return base::mapped(state, [&](const at::Tensor& part) { return part.narrow(0, first, length); });
}

/// One part of each state.
std::vector<at::Tensor> partOf(const std::vector<State>& states, std::size_t part) {
    return base::mapped(states, [&](const State& state) { return state[part]; });
}

/// A layer over a packed sequence, whose batch shrinks from step to step (grows, in reverse).
LayerOutput packedLayer(const Cells& cells, const std::vector<std::int64_t>& batchSizes,
                        const at::Tensor& input, const State& start, const LayerParameters& parameters,
                        bool reverse) {
    std::vector<at::Tensor> steps;
    std::vector<State> finished;
    std::int64_t last = reverse ? batchSizes.back() : batchSizes.front();
    State state = cells.isLstm ? State() : narrowed(start, 0, last);
    std::vector<at::Tensor> inputs = at::split_with_sizes(input, batchSizes);
    if (reverse) {
        std::reverse(inputs.begin(), inputs.end());
    }
    if (cells.isLstm) {
        state = narrowed(start, 0, last);
    }
    for (const at::Tensor& step : inputs) {
        const std::int64_t size = step.size(0);
        const at::Tensor given =
            cells.isLstm ? at::linear(step, parameters.inputWeight, parameters.inputBias) : step;
        // Only LSTM takes batches that grow from step to step (shrink, in reverse).
        const bool isPlain = !cells.isLstm && size != last;
        if (isPlain ? !reverse : size < last) {
            finished.push_back(narrowed(state, size, last - size));
            state = narrowed(state, 0, size);
        } else if (isPlain || size > last) {
            for (std::size_t part = 0; part < state.size(); ++part) {
                state[part] = at::cat({state[part], start[part].narrow(0, last, size - last)}, 0);
            }
        }
        state = cells.packed(given, state, parameters);
        last = size;
        steps.push_back(state.front());
    }
    if (reverse) {
        std::reverse(steps.begin(), steps.end());
        return {at::cat(steps, 0), state};
    }
    finished.push_back(state);
    std::reverse(finished.begin(), finished.end());
    at::Tensor output = cells.isLstm ? at::Tensor() : at::cat(steps, 0);
    for (std::size_t part = 0; part < state.size(); ++part) {
        state[part] = at::cat(partOf(finished, part), 0);
    }
    output = cells.isLstm ? at::cat(steps, 0) : output;
    return {std::move(output), std::move(state)};
}

State lstmCell(const at::Tensor& input, const State& state, const LayerParameters& parameters,
               std::int64_t gateDim) {
    const at::Tensor gates = at::linear(state[0], parameters.hiddenWeight, parameters.hiddenBias) + input;
    const std::vector<at::Tensor> chunks = gates.chunk(4, gateDim);
    const at::Tensor inGate = chunks[0].sigmoid();
    const at::Tensor forgetGate = chunks[1].sigmoid();
    const at::Tensor cellGate = chunks[2].tanh();
    const at::Tensor outGate = chunks[3].sigmoid();
    const at::Tensor kept = forgetGate * state[1];
    const at::Tensor cell = kept + inGate * cellGate;
    at::Tensor hidden = outGate * cell.tanh();
    if (parameters.projection) {
        hidden = at::linear(hidden, *parameters.projection);
    }
    return {hidden, cell};
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
    at::Tensor hidden = start[0].unsqueeze(0);
    at::Tensor cell = start[1].unsqueeze(0);
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

/// Runs the layers of a network and stacks their last states. `whole`: one operator for a layer in place of
/// its steps; may be empty.
Decomposed network(const DecompositionCall& call, const std::vector<State>& starts, bool projections,
                   const Cells& cells, const Layer& whole = {}) {
    const auto parameters = gatherParameters(call.tensors("params"), call.flag("has_biases"), projections);
    const bool isPacked = call.schema().overload_name() == "data";
    const std::vector<std::int64_t> sizes =
        isPacked ? packedSizes(call.tensor("batch_sizes")) : std::vector<std::int64_t>();
    const Layer inSteps = [&](const at::Tensor& input, const State& start, const LayerParameters& given,
                              bool reverse) {
        return isPacked ? packedLayer(cells, sizes, input, start, given, reverse)
                        : paddedLayer(cells, input, start, given, reverse);
    };
    std::vector<State> finals;
    at::Tensor output = runLayers(call, call.tensor(isPacked ? "data" : "input"), starts, parameters,
                                  !isPacked && call.flag("batch_first"), whole ? whole : inSteps, finals);
    at::Tensor hidden = at::stack(partOf(finals, 0), 0);
    if (!cells.isLstm) {
        return {std::move(output), std::move(hidden)};
    }
    return {std::move(output), std::move(hidden), at::stack(partOf(finals, 1), 0)};
}

/// A network with one state: plain recurrent layers and GRUs.
Decomposed plainNetwork(const DecompositionCall& call, const Cell& padded, const Cell& packed) {
    const auto starts =
        base::mapped(call.tensor("hx").unbind(0), [](const at::Tensor& hidden) { return State{hidden}; });
    return network(call, starts, false, {padded, packed});
}

State gruGates(const std::vector<at::Tensor>& fromInput, const std::vector<at::Tensor>& fromHidden,
               const at::Tensor& hidden) {
    const at::Tensor resetGate = (fromHidden[0] + fromInput[0]).sigmoid();
    const at::Tensor inputGate = (fromHidden[1] + fromInput[1]).sigmoid();
    const at::Tensor newGate = (fromInput[2] + fromHidden[2] * resetGate).tanh();
    return {(hidden - newGate) * inputGate + newGate};
}

} // namespace

Decomposed recurrentNetwork(const DecompositionCall& call, at::Tensor (*nonlinearity)(const at::Tensor&)) {
    const Cell padded = [&](const at::Tensor& input, const State& state, const LayerParameters& given) {
        return State{nonlinearity(at::linear(state[0], given.hiddenWeight, given.hiddenBias) + input)};
    };
    const Cell packed = [&](const at::Tensor& input, const State& state, const LayerParameters& given) {
        return padded(at::linear(input, given.inputWeight, given.inputBias), state, given);
    };
    return plainNetwork(call, padded, packed);
}

Decomposed gru(const DecompositionCall& call) {
    const Cell padded = [](const at::Tensor& input, const State& state, const LayerParameters& given) {
        const std::vector<at::Tensor> fromInput = input.chunk(3, 1);
        return gruGates(fromInput, at::linear(state[0], given.hiddenWeight, given.hiddenBias).chunk(3, 2),
                        state[0]);
    };
    const Cell packed = [](const at::Tensor& input, const State& state, const LayerParameters& given) {
        const std::vector<at::Tensor> fromInput =
            at::linear(input, given.inputWeight, given.inputBias).chunk(3, 1);
        return gruGates(fromInput, at::linear(state[0], given.hiddenWeight, given.hiddenBias).chunk(3, 1),
                        state[0]);
    };
    return plainNetwork(call, padded, packed);
}

Decomposed lstm(const DecompositionCall& call) {
    const std::vector<at::Tensor> states = call.tensors("hx");
    TORCH_CHECK(states.size() == 2, "lstm expects two hidden states, got ", states.size());
    const bool projections =
        states[0].sym_size(2).sym_ne(states[1].sym_size(2)).guard_bool(__FILE__, __LINE__);
    const std::vector<at::Tensor> hidden = states[0].unbind(0);
    const std::vector<at::Tensor> cells = states[1].unbind(0);
    std::vector<State> starts;
    for (std::size_t i = 0; i < hidden.size(); ++i) {
        starts.push_back({hidden[i], cells.at(i)});
    }
    const auto cell = [](std::int64_t gateDim) {
        return [gateDim](const at::Tensor& input, const State& state, const LayerParameters& given) {
            return lstmCell(input, state, given, gateDim);
        };
    };
    const bool inOne = call.schema().overload_name() != "data" &&
                       mkldnnServes(call.tensor("input"), states, call.tensors("params"), projections);
    return network(call, starts, projections, {cell(2), cell(1), /*isLstm=*/true},
                   inOne ? Layer(mkldnnLstmLayer) : Layer());
}

} // namespace aotscope::torch::decomposed
