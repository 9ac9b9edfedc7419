#include "wrappers/hook_comparison.h"

#include "run/inputs/symbols.h"
#include "run/measuring/round_trip.h"
#include "run/reference/rounding_noise.h"
#include "run/reference/tensor_distance.h"
#include "wrappers/call_comparison.h"
#include "wrappers/call_numbers.h"
#include "wrappers/caller_runs.h"
#include "wrappers/graph_call.h"

#include "aot/post_compile_wrappers.h"
#include "passes/partition.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>

namespace aotscope::torch {

namespace {

/// The function as it is before hooks are inlined.
aot::CompiledFunction withoutHooks(const aot::CompiledFunction& function) {
    if (!function.partition || function.partition->hooks.empty()) {
        return function;
    }
    passes::Partition partition = *function.partition;
    partition.forward = std::exchange(partition.forwardBeforeHooks, nullptr);
    partition.backward = std::exchange(partition.backwardBeforeHooks, nullptr);
    partition.hooks.clear();
    partition.savedTensors.clear();
    partition.savedSymbols.clear();
    const ir::Graph& forward = *partition.forward;
    const std::vector<ir::NodeId> returned = ir::returnedNodes(forward);
    for (std::size_t i = partition.forwardOutputs; i < returned.size(); ++i) {
        if (returned[i].valid()) {
            const ir::Node& saved = forward.node(returned[i]);
            (ir::asTensor(saved.value) != nullptr ? partition.savedTensors : partition.savedSymbols)
                .push_back(saved.name);
        }
    }
    aot::CompiledFunction plain = function;
    plain.partition = std::make_shared<const passes::Partition>(std::move(partition));
    plain.wrappers = aot::postCompileWrappers(plain);
    return plain;
}

/// The backward, on what the hooks make of the tensors that the forward saved.
BoxedCall roundTripped(ir::GraphPtr graph, const std::vector<passes::InlinedHook>& hooks, BoxedCall inner) {
    return [graph = std::move(graph), &hooks, inner = std::move(inner)](Values& arguments) {
        const c10::AutoGradMode noGrad(false);
        const at::AutoDispatchBelowADInplaceOrView belowAutograd;
        RunContext context;
        const std::vector<ir::NodeId> placeholders = graph->placeholders();
        const std::size_t count = std::min(arguments.size(), placeholders.size());
        for (std::size_t i = 0; i < count; ++i) {
            learnSymbols(graph->node(placeholders[i]).value, arguments[i], context);
        }
        for (std::size_t i = 0; i < count; ++i) {
            const auto hook =
                std::ranges::find(hooks, graph->node(placeholders[i]).name, &passes::InlinedHook::saved);
            if (hook != hooks.end() && arguments[i].isTensor()) {
                arguments[i] = roundTrip(*hook, arguments[i].toTensor(), context).unpacked;
            }
        }
        return inner(arguments);
    };
}

/// Nothing: they cannot be compared.
std::optional<double> apart(const NamedTensors& one, const NamedTensors& other, const std::string& name) {
    const auto left = one.find(name);
    const auto right = other.find(name);
    return left == one.end() || right == other.end() || left->second.sizes() != right->second.sizes()
               ? std::nullopt
               : relativeDistance(left->second, right->second);
}

} // namespace

HookComparison::HookComparison(const CallSubject& subject, const CallerArguments& arguments,
                               const UnwrittenElements& unwritten, const base::Progress& progress)
    : m_subject(subject),
      m_arguments(arguments),
      m_unwritten(unwritten),
      m_progress(progress),
      m_isInlined(subject.request.function.partition && !subject.request.function.partition->hooks.empty()),
      m_function(withoutHooks(subject.request.function)) {}

CallerSide HookComparison::called(const GraphCompiler& compiler, std::size_t last,
                                  OperatorWatch* watch) const {
    const ComposedCall composed =
        composeCall(m_function, m_arguments.names(), m_progress, nullptr, compiler, {}, m_subject.place);
    CallerRuns runs(m_subject, m_arguments, [&](Values list) { return composed.call(list); });
    runs.clear(m_unwritten);
    return runs.until(last, watch);
}

GraphCompiler HookComparison::roundTrips() const {
    const std::vector<passes::InlinedHook>& hooks = m_subject.request.function.partition->hooks;
    return [&hooks](const ir::GraphPtr& graph, bool backward, std::shared_ptr<GraphSettings> settings) {
        BoxedCall call = graphCall(graph, backward, std::move(settings));
        return backward ? roundTripped(graph, hooks, std::move(call)) : call;
    };
}

void HookComparison::tell(std::vector<steps::ComparedValue>& values, const CallerSide& hooked,
                          const CallerSide& eager, std::size_t last) const {
    constexpr std::uint64_t noisyRuns = 2;
    // More of the largest magnitude decides nothing.
    constexpr double mostAllowed = 0.25;
    const std::vector<std::string> names = m_arguments.names();
    const NamedTensors made = hooked.tensors(names);
    const NamedTensors expected = eager.tensors(names);
    std::optional<CallerSide> side;
    NamedTensors tripped;
    std::vector<NamedTensors> noisy;
    if (m_isInlined) {
        side = called(roundTrips(), last, nullptr);
        tripped = side->tensors(names);
    }
    for (steps::ComparedValue& value : values) {
        value.hookLoss = apart(made, expected, value.name);
        const auto wrong = m_isInlined ? apart(made, tripped, value.name) : std::nullopt;
        steps::ComparedValue close;
        close.relativeError = wrong;
        if (!wrong) {
            continue;
        }
        compareClosely(close, tripped.at(value.name).scalar_type());
        double allowed = *close.allowed;
        bool jumps = false;
        for (std::uint64_t run = 0; !close.agrees && run < noisyRuns; ++run) {
            if (noisy.size() <= run) {
                RoundingNoise noise(run);
                noisy.push_back(called(roundTrips(), last, &noise).tensors(names));
            }
            const double moved = apart(noisy[run], tripped, value.name).value_or(0);
            jumps = jumps || !std::isfinite(moved);
            allowed = std::max(allowed, std::isfinite(moved) ? 4 * moved : 0.0);
        }
        const bool isUndecided =
            *wrong > *close.allowed && *wrong <= allowed && (*close.allowed == 0 || allowed > mostAllowed);
        if (isUndecided || (jumps && !std::isfinite(*wrong))) {
            value.notComparable =
                "with the hooks, other roundings change it as much as the inlined hooks are "
                "away from their own graphs";
        } else if (*wrong > allowed) {
            value.agrees = false;
            value.causes.emplace_back("the inlined hooks make something else of what is saved than their "
                                      "own graphs do");
        }
    }
    const std::vector<steps::ComparedValue> structures = compareSides(hooked, eager, names);
    for (std::size_t i = 0; i < std::min(values.size(), structures.size()); ++i) {
        if (values[i].name == structures[i].name && !structures[i].structure.empty()) {
            values[i].structure = structures[i].structure;
            values[i].agrees = false;
        }
    }
}

} // namespace aotscope::torch
