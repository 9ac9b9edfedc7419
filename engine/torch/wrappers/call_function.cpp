#include "wrappers/call_function.h"

#include "base/mapped.h"
#include "dispatch/failure.h"
#include "dispatch/handled_error.h"
#include "run/execution/generator_seed.h"
#include "run/reference/tensor_float32.h"
#include "wrappers/call_comparison.h"
#include "wrappers/call_numbers.h"
#include "wrappers/call_recorder.h"
#include "wrappers/caller_runs.h"
#include "wrappers/compose.h"
#include "wrappers/hook_comparison.h"
#include "wrappers/unwritten_memory.h"
#include "wrappers/value_paths.h"

#include <c10/core/GradMode.h>

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/utils/lambda_post_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <chrono>
#include <iterator>

namespace aotscope::torch {

namespace {

using ::torch::autograd::variable_list;

/// Tells a recorder before autograd adds to a leaf's gradient.
class BeforeAccumulation final : public ::torch::autograd::FunctionPreHook {
public:
    BeforeAccumulation(CallRecorder& recorder, std::string name)
        : m_recorder(recorder), m_name(std::move(name)) {}
    variable_list operator()(const variable_list& gradients) override {
        m_recorder.accumulating(m_name);
        return gradients;
    }

private:
    CallRecorder& m_recorder;
    std::string m_name;
};

using Accumulator = std::decay_t<decltype(::torch::autograd::impl::grad_accumulator(at::Tensor()))>;

/// The leaves' accumulators, with hooks that tell `recorder`. They last as long as somebody holds them.
std::vector<Accumulator> watchedAccumulators(const std::vector<CallerLeaf>& leaves, CallRecorder& recorder) {
    std::vector<Accumulator> accumulators;
    for (const CallerLeaf& leaf : leaves) {
        Accumulator accumulator = ::torch::autograd::impl::grad_accumulator(leaf.tensor);
        if (accumulator) {
            accumulator->add_pre_hook(std::make_unique<BeforeAccumulation>(recorder, leaf.name));
            accumulator->add_post_hook(std::make_unique<::torch::autograd::utils::LambdaPostHook>(
                [&recorder](const variable_list& outputs, const variable_list& /*inputs*/) {
                    recorder.accumulated();
                    return outputs;
                }));
            accumulators.push_back(std::move(accumulator));
        }
    }
    return accumulators;
}

class Calls {
public:
    Calls(const CallSubject& subject, const base::Progress& progress)
        : m_subject(subject),
          m_options(subject.request.options),
          m_progress(progress),
          m_context(placedAt(subject.place)),
          m_arguments(subject.request.function, subject.inputs, m_options, m_context,
                      subject.request.request.state.inferenceMode),
          m_recorder(subject.request.function, m_arguments.names()),
          m_composed(composed()),
          m_eagerRuns(subject, m_arguments, subject.program),
          m_paths(subject.request.function, m_arguments.names()) {}

    steps::CallRecord run() {
        m_compiled.arguments = m_arguments.make();
        const std::vector<Accumulator> accumulators =
            watchedAccumulators(m_compiled.arguments.leaves, m_recorder);
        std::optional<ExactFloat32Products> exact;
        if (m_options.compareWithEager) {
            m_eager.arguments = m_arguments.make();
            m_comparison.emplace();
        }
        if (m_comparison && m_subject.place.isGpu()) {
            exact.emplace();
            m_context.note(
                "Both sides multiply in float32, not in TensorFloat-32, for their numbers to be comparable.");
        }
        const auto start = std::chrono::steady_clock::now();
        if (m_subject.goThrough) {
            stepThrough();
        } else {
            callByCall();
        }
        finish(start);
        return std::move(m_recorder.record());
    }

private:
    static RunContext placedAt(const RunPlace& place) {
        RunContext context;
        context.place = place;
        return context;
    }

    /// The caller's tensors now; `renew` replaces arguments.
    void refresh(CallerTensors& callers) const {
        callers.arguments = base::mapped(m_compiled.arguments.values, [](const c10::IValue& value) {
            return value.isTensor() ? value.toTensor() : at::Tensor();
        });
    }

    [[nodiscard]] ComposedCall composed() {
        return composeCall(m_subject.request.function, m_arguments.names(), m_progress, &m_recorder, {},
                           m_subject.packHook, m_subject.place);
    }

    /// Whether calling the composed function changes the function itself.
    [[nodiscard]] bool keepsState() const {
        const auto& wrappers = m_subject.request.function.wrappers;
        return aot::appliedWrapper<aot::FunctionalizedRngRuntimeWrapper>(wrappers) != nullptr ||
               aot::appliedWrapper<aot::FakifiedOutWrapper>(wrappers) != nullptr;
    }

    void stepThrough() {
        const MadeArguments made = m_compiled.arguments;
        CallerTensors callers;
        callers.names = m_arguments.names();
        refresh(callers);
        callers.leaves = made.leaves;
        callers.writesBetweenCalls = m_options.calls > 1 || m_options.learningRate;
        const auto pass = [&] {
            m_draws.draws.clear();
            m_compiled = {.arguments = made, .outputs = {}, .before = {}, .losses = {}};
            if (keepsState()) {
                m_composed = composed();
            }
            for (std::size_t call = 0; call < m_options.calls; ++call) {
                begin(call);
                refresh(callers);
                callCompiled(call);
                if (m_options.learningRate) {
                    m_compiled.step(*m_options.learningRate);
                }
            }
        };
        if (fails([&] { m_subject.goThrough(callers, m_recorder, pass); })) {
            return;
        }
        if (m_comparison && m_options.calls == 1) {
            // The passage ended with the optimizer's step.
            callEager(0, m_options.learningRate);
        } else if (m_comparison) {
            m_comparison->skipped = "Several calls were stepped through; those are not compared.";
        }
    }

    /// Whether what makes the call fails, which the record says then.
    template<typename Work>
    bool fails(const Work& work) {
        m_recorder.record().error = failureOf("run.operator_failed", work, handledError);
        return m_recorder.record().error.has_value();
    }

    void begin(std::size_t call) {
        m_recorder.beginCall(call);
        if (call > 0) {
            m_arguments.renew(m_compiled.arguments);
        }
    }

    void callByCall() {
        for (std::size_t call = 0; call < m_options.calls; ++call) {
            if (m_progress.stopRequested()) {
                throw Canceled{};
            }
            begin(call);
            if (fails([&] { callCompiled(call); })) {
                tellWhetherEagerFails(call);
                return;
            }
            if (m_comparison && m_comparison->skipped.empty()) {
                callEager(call);
            }
            if (m_options.learningRate) {
                m_compiled.step(*m_options.learningRate);
                m_eager.step(*m_options.learningRate);
            }
        }
    }

    void callCompiled(std::size_t call) {
        m_compiled.prepare();
        seedGenerator(m_options.seed + call, m_subject.place.device);
        Values list = m_compiled.arguments.values;
        const c10::AutoGradMode grad(m_subject.request.request.state.gradEnabled);
        {
            const WatchScope scope(m_comparison && m_paths.draws() ? &m_draws : nullptr);
            m_compiled.outputs = m_composed.call(list);
        }
        m_recorder.beginBackward();
        m_compiled.differentiate(m_options, backwardsOf(m_options, call));
        m_recorder.endBackward();
    }

    /// A call that fails compares as well as eager's that fails too.
    void tellWhetherEagerFails(std::size_t call) {
        if (!m_comparison || !m_comparison->skipped.empty()) {
            return;
        }
        const auto failed = failureOf("run.operator_failed", [&] { m_eagerRuns.call(m_eager, call); });
        m_comparison->onlyCompiledFails = !failed;
        m_comparison->skipped = !failed
                                    ? "In eager mode the program does not fail."
                                    : "In eager mode the program fails too: " + firstLine(failed->message) +
                                          m_arguments.whatToGive();
    }

    /// `stepRate`: compares after a step of SGD with that rate.
    void callEager(std::size_t call, std::optional<double> stepRate = std::nullopt) {
        if (const auto failed = failureOf("run.operator_failed", [&] {
                m_eagerRuns.call(m_eager, call);
                if (stepRate) {
                    m_eager.step(*stepRate);
                }
                compare(call);
            })) {
            m_comparison->skipped = firstLine(failed->message);
        }
    }

    /// Finds the elements that depend on unwritten memory; those of the first call hold for all.
    void findUnwritten(std::size_t call) {
        if (m_knowsUnwritten || call > 0 || m_subject.place.isGpu()) {
            return;
        }
        m_knowsUnwritten = true;
        m_eagerRuns.drawAgain(nullptr);
        if (const auto failed = failureOf("run.operator_failed", [&] {
                m_unwritten =
                    unwrittenElements([&] { return seenTensors(m_eagerRuns.until(call, nullptr)); });
            })) {
            m_context.note("Which elements depend on memory that nothing has written could not be told: " +
                           firstLine(failed->message));
        }
    }

    [[nodiscard]] std::vector<steps::ComparedValue> comparedValues(std::size_t call) {
        const std::vector<std::string> names = m_arguments.names();
        const CallerSide* compiled = &m_compiled;
        const HookComparison hooks(m_subject, m_arguments, m_unwritten, m_progress);
        if (hooks.hasHooks()) {
            m_plain = hooks.plain(call);
            compiled = &m_plain;
        }
        m_eagerRuns.clear(m_unwritten);
        clearUnwritten(m_compiled, m_unwritten);
        clearUnwritten(m_eager, m_unwritten);
        std::vector<steps::ComparedValue> values = compareSides(*compiled, m_eager, names);
        const CallerSide* eager = &m_eager;
        if (m_paths.draws()) {
            eager = withEqualDraws(values, *compiled, call);
        }
        if (isJudged(call)) {
            NumberJudge{m_eagerRuns, m_paths, names, m_progress}.judge(values, *compiled, *eager, call);
        }
        if (hooks.hasHooks()) {
            hooks.tell(values, m_compiled, *eager, call);
        }
        tellUnwritten(m_eager, names, m_unwritten, values);
        tellLostBases(*compiled, m_eager, values);
        return values;
    }

    /// Whether numbers of that call are measured, for which every call before it must be repeated.
    [[nodiscard]] bool isJudged(std::size_t call) const {
        constexpr std::size_t mostInBetween = 10;
        return call + 1 == m_options.calls || call < mostInBetween;
    }

    /// Keeps every difference of each call, and the last call whole.
    void compare(std::size_t call) {
        if (leavesMemoryUnwritten(*m_subject.request.request.program) ||
            leavesMemoryUnwritten(*m_subject.request.function.graph)) {
            findUnwritten(call);
        }
        std::vector<steps::ComparedValue> values = comparedValues(call);
        const auto differs = [](const steps::ComparedValue& value) {
            return !value.agrees && value.relativeError.value_or(0) > 0;
        };
        if (std::ranges::any_of(values, differs) && !m_knowsUnwritten) {
            findUnwritten(call);
            values = comparedValues(call);
        }
        if (!isJudged(call) && std::erase_if(values, [&](const steps::ComparedValue& value) {
                                   return differs(value) && value.structure.empty();
                               }) > 0) {
            m_context.note("Of the calls after the tenth only the last one's numbers are judged.");
        }
        if (call + 1 < m_options.calls) {
            keepDifferences(values, call);
        }
        std::ranges::move(values, std::back_inserter(m_comparison->values));
    }

    /// Eager whose random numbers are those of the compiled graph's forward, with what is compared then.
    /// Where it cannot draw the same, values that depend on random numbers are not comparable.
    const CallerSide* withEqualDraws(std::vector<steps::ComparedValue>& values, const CallerSide& compiled,
                                     std::size_t call) {
        if (std::ranges::all_of(values, &steps::ComparedValue::agrees)) {
            return &m_eager;
        }
        // Forgets the draws of an earlier comparison.
        m_eagerRuns.drawAgain(nullptr);
        m_drewAgain = false;
        const auto failed = failureOf("call.random", [&] {
            DrawRecorder recorder;
            (void)m_eagerRuns.until(call, &recorder);
            if (haveEqualNumbers(recorder.draws, m_draws.draws)) {
                return;
            }
            m_eagerRuns.drawAgain(&m_draws.draws);
            m_again = m_eagerRuns.until(call, nullptr);
            values = compareSides(compiled, m_again, m_arguments.names());
            m_context.note("Eager mode drew the random numbers that the compiled graph drew.");
            m_drewAgain = true;
        });
        if (failed) {
            m_eagerRuns.drawAgain(nullptr);
            tellRandom(m_paths, firstLine(failed->message), values);
        }
        return m_drewAgain ? &m_again : &m_eager;
    }

    void finish(std::chrono::steady_clock::time_point start) {
        steps::CallRecord& record = m_recorder.record();
        record.nanoseconds = nanosecondsSince(start);
        ValueStates& states = m_recorder.states();
        record.arguments = states.of(m_compiled.arguments.values, "argument", m_arguments.names());
        record.outputs = states.of(m_compiled.outputs, "output");
        for (const CallerLeaf& leaf : m_compiled.arguments.leaves) {
            if (leaf.tensor.grad().defined()) {
                record.gradients.push_back(states.of(leaf.tensor.grad(), "gradient of " + leaf.name));
                record.gradients.back().name = leaf.name;
            }
        }
        if (m_comparison) {
            m_comparison->losses = m_compiled.losses;
            m_comparison->eagerLosses = m_drewAgain ? m_again.losses : m_eager.losses;
            m_comparison->configuration = callConfiguration(m_subject, m_arguments);
            record.eager = std::move(m_comparison);
        }
        record.notes = m_context.notes;
        std::ranges::copy(m_composed.notes, std::back_inserter(record.notes));
        std::ranges::copy(m_composed.settings->notes, std::back_inserter(record.notes));
    }

    const CallSubject& m_subject;
    const session::CallOptions& m_options;
    base::Progress m_progress;
    RunContext m_context;
    CallerArguments m_arguments;
    CallRecorder m_recorder;
    ComposedCall m_composed;
    CallerRuns m_eagerRuns;
    ValuePaths m_paths;
    CallerSide m_compiled;
    CallerSide m_eager;
    /// The compiled call without saved-tensors hooks.
    CallerSide m_plain;
    /// Eager with the compiled graph's random numbers.
    CallerSide m_again;
    bool m_drewAgain = false;
    /// What the compiled graph's forwards drew.
    DrawRecorder m_draws;
    std::optional<steps::EagerCallComparison> m_comparison;
    bool m_knowsUnwritten = false;
    UnwrittenElements m_unwritten;
};

} // namespace

steps::CallRecord callFunction(const CallSubject& subject, const base::Progress& progress) {
    const CurrentPlace current(subject.place);
    return Calls(subject, progress).run();
}

} // namespace aotscope::torch
