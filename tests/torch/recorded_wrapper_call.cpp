#include "recorded_wrapper_call.h"

#include "backend/caller_inputs.h"
#include "backend/pack_hook.h"
#include "dispatch/failure.h"
#include "dispatch/handled_error.h"
#include "run/execution/generator_seed.h"
#include "run/inputs/tensor_data.h"
#include "run/reference/rounding_noise.h"
#include "trace/traced_inputs.h"
#include "wrappers/compose.h"

#include "aot/versions/versions.h"
#include "contract/number_comparison.h"

#include <ATen/ops/empty_strided.h>
#include <c10/core/GradMode.h>

#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <set>

namespace aotscope::test {

namespace {

using ir::AOTInput;
using ir::AOTOutput;
using torch::Values;

/// A value that a half returned, and where the caller finds it.
struct Seen {
    std::string name;
    /// Undefined: the caller has nothing there.
    c10::IValue value;
    std::size_t CallerSaw::*count = nullptr;
};

/// What a call made, by name.
using Collected = std::map<std::string, aot::TensorData>;
/// By how much other roundings change a value of that name.
using Spread = std::function<double(const std::string& name, const aot::TensorData& made)>;

class Call {
public:
    /// Compares with what was recorded; with `collected` only tells what it makes.
    Call(const session::CallRequest& request, const judge::RecordedCall& forward,
         const judge::RecordedCall* backward, Spread spread, Collected* collected)
        : m_spread(std::move(spread)),
          m_collected(collected),
          m_function(request.function),
          m_forward(forward),
          m_backward(backward),
          m_made(made(request)),
          m_composed(torch::composeCall(m_function, m_names, {}, nullptr, compiler(), packHook(request))) {
        // The halves' inputs are the caller's arguments, but for those that share memory.
        const auto* bases = aot::findWrapper<aot::AOTSyntheticBaseWrapper>(m_function.wrappers);
        if (bases != nullptr && bases->applies) {
            torch::fail("test", "arguments that share memory are not told by the recorded inputs");
        }
        torch::seedGenerator(forward.seed.value_or(0));
        Values list = m_made.values;
        const c10::AutoGradMode grad(request.request.state.gradEnabled);
        m_outputs = m_composed.call(list);
    }

    void compareForward() {
        const ir::GraphPtr graph = m_function.forward();
        const ir::Node& output = graph->node(graph->output().value());
        std::vector<std::optional<Seen>> seen(m_forward.outputs.size());
        for (std::size_t i = 0; i < seen.size(); ++i) {
            const AOTOutput* descriptor = ir::outputDescriptor(output, i);
            seen[i] = descriptor == nullptr ? std::nullopt : seenOutput(*descriptor);
        }
        compare(*graph, m_forward.outputs, seen);
    }

    /// The backward from PyTorch's tangents.
    void differentiate() {
        const judge::RecordedCall& backward = *m_backward;
        const ir::GraphPtr graph = m_function.backward();
        const std::vector<ir::NodeId> placeholders = graph->placeholders();
        if (placeholders.size() != backward.inputs.size()) {
            torch::fail("test", "another number of inputs of the backward");
        }
        ::torch::autograd::variable_list roots;
        ::torch::autograd::variable_list tangents;
        for (std::size_t i = 0; i < placeholders.size(); ++i) {
            const AOTInput* input = ir::inputDescriptor(graph->node(placeholders[i]));
            const auto* tangent = input == nullptr ? nullptr : input->as<ir::TangentAOTInput>();
            if (tangent == nullptr) {
                continue;
            }
            if (!backward.inputs[i]) {
                torch::fail("test", "a tangent was not stored");
            }
            roots.push_back(rootOf(*tangent->output));
            tangents.push_back(torch::tensorFromData(*backward.inputs[i]));
        }
        ::torch::autograd::backward(roots, tangents);
        compareGradients(*graph);
    }

    CallerSaw saw;

private:
    static aot::TraceRules rulesOf(const session::CallRequest& request) {
        return aot::torchRules(request.request.torch).trace;
    }
    static torch::PackHook packHook(const session::CallRequest& request) {
        const auto& text = request.options.runTimeHooks;
        return text ? torch::packHook(*text, rulesOf(request)) : torch::PackHook();
    }

    torch::MadeArguments made(const session::CallRequest& request) {
        torch::ProgramPosition position;
        torch::DynamoProgram program(request.request.program, position, {}, rulesOf(request));
        program.orderAttributes(
            [&](const ir::Node& node) { return torch::attributeOf(request.request, node).isBuffer; });
        session::CallOptions options;
        const std::vector<ir::NodeId> placeholders = m_function.graph->placeholders();
        for (std::size_t i = 0; i < m_forward.inputs.size(); ++i) {
            if (!m_forward.inputs[i]) {
                torch::fail("test", "an input of the forward was not stored");
            }
            options.inputs.emplace(m_function.graph->node(placeholders.at(i)).name, *m_forward.inputs[i]);
        }
        torch::RunContext context;
        const torch::CallerArguments arguments(m_function, torch::callerInputs(request.request, program),
                                               options, context, false);
        m_names = arguments.names();
        return arguments.make();
    }

    torch::GraphCompiler compiler() {
        return
            [this](const ir::GraphPtr& graph, bool backward, std::shared_ptr<torch::GraphSettings> settings) {
                torch::BoxedCall call = torch::graphCall(graph, backward, std::move(settings));
                if (!backward || m_backward == nullptr) {
                    return call;
                }
                // Continues from PyTorch's saved values.
                return torch::BoxedCall([this, graph, call = std::move(call)](Values& arguments) {
                    compareSaved(*graph, arguments);
                    return call(arguments);
                });
            };
    }

    /// What the wrappers saved. What equals PyTorch's is then replaced by it: a value that is off by a
    /// rounding may lie on the other side of a relu's jump.
    void compareSaved(const ir::Graph& backward, Values& arguments) {
        const std::vector<ir::NodeId> placeholders = backward.placeholders();
        const std::vector<std::string> outputs = outputNames(*m_function.forward());
        std::vector<std::optional<Seen>> seen(outputs.size());
        std::vector<std::optional<aot::TensorData>> recorded(outputs.size());
        std::map<std::size_t, std::size_t> places;
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            const std::string& name = backward.node(placeholders.at(i)).name;
            const auto found = std::ranges::find(outputs, name);
            if (found == outputs.end() || !arguments[i].isTensor()) {
                continue;
            }
            const auto position = static_cast<std::size_t>(found - outputs.begin());
            recorded[position] = m_backward->inputs.at(i);
            seen[position] = Seen{"saved " + name, arguments[i], &CallerSaw::saved};
            places[position] = i;
        }
        for (const std::size_t position : compare(*m_function.forward(), recorded, seen)) {
            c10::IValue& saved = arguments[places.at(position)];
            const at::Tensor own = saved.toTensor();
            saved = at::empty_strided(own.sizes(), own.strides(), own.options())
                        .copy_(torch::tensorFromData(*recorded[position]));
        }
    }

    /// The names of the nodes that a graph returns, empty where it returns none.
    static std::vector<std::string> outputNames(const ir::Graph& graph) {
        std::vector<std::string> names;
        const ir::Argument& returned = graph.node(graph.output().value()).args.at(0);
        const auto* tuple = returned.as<ir::TupleArgument>();
        for (const ir::Argument& each :
             tuple != nullptr ? tuple->items : std::get<ir::ListArgument>(returned.value).items) {
            const auto* node = each.as<ir::NodeId>();
            names.push_back(node == nullptr ? std::string() : graph.node(*node).name);
        }
        return names;
    }

    /// Where the caller sees an output of the forward; nothing: it does not.
    std::optional<Seen> seenOutput(const AOTOutput& output) const {
        if (const auto* plain = output.as<ir::PlainAOTOutput>()) {
            return Seen{"output " + std::to_string(plain->idx),
                        m_outputs.at(static_cast<std::size_t>(plain->idx)), &CallerSaw::outputs};
        }
        if (const auto* written = output.as<ir::InputMutationAOTOutput>()) {
            const std::size_t argument = ir::flatInputIndex(*written->mutatedInput).value();
            return Seen{"argument " + m_names.at(argument) + " after the call", m_made.values.at(argument),
                        &CallerSaw::writtenArguments};
        }
        return std::nullopt;
    }

    /// The tensor of the caller whose gradient a tangent is.
    at::Tensor rootOf(const AOTOutput& output) const {
        if (const auto* base = output.as<ir::IntermediateBaseAOTOutput>()) {
            return at::Tensor(at::TensorBase(rootOf(*base->baseOf)._base()));
        }
        const auto seen = seenOutput(output);
        if (!seen || !seen->value.isTensor()) {
            torch::fail("test", "a tangent of something that the caller does not see");
        }
        return seen->value.toTensor();
    }

    void compareGradients(const ir::Graph& graph) {
        const ir::Node& output = graph.node(graph.output().value());
        std::vector<std::optional<Seen>> seen(m_backward->outputs.size());
        for (std::size_t i = 0; i < seen.size(); ++i) {
            const AOTOutput* descriptor = ir::outputDescriptor(output, i);
            const auto* gradient = descriptor == nullptr ? nullptr : descriptor->as<ir::GradAOTOutput>();
            if (gradient != nullptr) {
                seen[i] = seenGradient(ir::flatInputIndex(*gradient->gradOf).value());
            }
        }
        compare(graph, m_backward->outputs, seen);
        for (const torch::CallerLeaf& leaf : m_made.leaves) {
            if (leaf.tensor.grad().defined() && !m_compared.contains(leaf.name)) {
                saw.apart.push_back("gradient of " + leaf.name + ": PyTorch's backward returns none");
            }
        }
    }

    Seen seenGradient(std::size_t argument) {
        const std::string& name = m_names.at(argument);
        m_compared.insert(name);
        Seen seen{"gradient of " + name, {}, &CallerSaw::gradients};
        for (const torch::CallerLeaf& leaf : m_made.leaves) {
            if (leaf.argument == argument && leaf.tensor.grad().defined()) {
                seen.value = leaf.tensor.grad();
            }
        }
        return seen;
    }

    /// Returns the positions that are equal.
    std::vector<std::size_t> compare(const ir::Graph& graph,
                                     const std::vector<std::optional<aot::TensorData>>& recorded,
                                     const std::vector<std::optional<Seen>>& seen) {
        std::vector<std::size_t> equal;
        std::vector<aot::TensorData> found(seen.size());
        std::vector<std::optional<aot::TensorData>> expected(seen.size());
        for (std::size_t i = 0; i < seen.size(); ++i) {
            if (seen[i] && recorded[i]) {
                found[i] = torch::valueData(seen[i]->value);
                expected[i] = recorded[i];
            }
        }
        session::NumberComparison comparison = session::compareNumbers(graph, found, expected);
        if (m_collected != nullptr) {
            for (const auto& tensor : comparison.tensors) {
                (*m_collected)[seen[tensor.position]->name] = found[tensor.position];
            }
            // A noisy call goes on with its own saved values: with PyTorch's, which hooks may have changed,
            // its gradients would be as far from this program's as PyTorch's are.
            return equal;
        }
        if (!comparison.agrees()) {
            std::vector<double> spread(found.size());
            for (const auto& tensor : comparison.tensors) {
                spread[tensor.position] = m_spread(seen[tensor.position]->name, found[tensor.position]);
            }
            session::allowSpread(comparison, found, spread);
        }
        for (const auto& tensor : comparison.tensors) {
            const Seen& value = *seen[tensor.position];
            if (tensor.agrees()) {
                ++(saw.*value.count);
                equal.push_back(tensor.position);
                continue;
            }
            // Figures depend on the machine, and are told beside the table.
            saw.apart.push_back(value.name + " differs");
            std::cout << value.name << ": " << tensor.distance << " apart, " << tensor.allowed
                      << " allowed\n";
        }
        return equal;
    }

    Spread m_spread;
    Collected* m_collected;
    const aot::CompiledFunction& m_function;
    const judge::RecordedCall& m_forward;
    const judge::RecordedCall* m_backward;
    std::vector<std::string> m_names;
    torch::MadeArguments m_made;
    torch::ComposedCall m_composed;
    Values m_outputs;
    /// Arguments whose gradient PyTorch's backward returns.
    std::set<std::string> m_compared;
};

/// What calls make whose operators round in other ways, as another machine's do.
std::vector<Collected> noisyCalls(const session::CallRequest& request, const judge::RecordedCall& forward,
                                  const judge::RecordedCall* backward) {
    constexpr std::uint64_t runs = 8;
    std::vector<Collected> calls;
    for (std::uint64_t run = 0; run < runs; ++run) {
        torch::RoundingNoise noise(run);
        const torch::WatchScope watch(&noise);
        Call call(request, forward, backward, {}, &calls.emplace_back());
        call.compareForward();
        if (backward != nullptr) {
            call.differentiate();
        }
    }
    return calls;
}

} // namespace

CallerSaw callAsRecorded(const session::CallRequest& request, const judge::RecordedCall& forward,
                         const judge::RecordedCall* backward) {
    try {
        std::optional<std::vector<Collected>> noisy;
        const auto spread = [&](const std::string& name, const aot::TensorData& made) {
            if (!noisy) {
                noisy = noisyCalls(request, forward, backward);
            }
            std::vector<double> largest(1);
            for (const Collected& call : *noisy) {
                if (const auto found = call.find(name); found != call.end()) {
                    session::growSpread(largest, {made}, {found->second});
                }
            }
            return largest.front();
        };
        Call call(request, forward, backward, spread, nullptr);
        call.compareForward();
        if (backward != nullptr) {
            call.differentiate();
        }
        return call.saw;
    } catch (const std::exception&) {
        CallerSaw nothing;
        nothing.apart.push_back(torch::firstLine(torch::handledError("test").message));
        return nothing;
    }
}

} // namespace aotscope::test
