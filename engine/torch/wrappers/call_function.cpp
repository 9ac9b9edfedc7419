#include "wrappers/call_function.h"

#include "dispatch/failure.h"
#include "dispatch/handled_error.h"
#include "dispatch/libtorch_release.h"
#include "run/generator_seed.h"
#include "run/memory_limit.h"
#include "run/tensor_float32.h"
#include "run/tensor_maker.h"
#include "wrappers/call_comparison.h"
#include "wrappers/call_recorder.h"
#include "wrappers/compose.h"
#include "wrappers/unwritten_memory.h"

#include "passes/partition.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/randn.h>
#include <c10/core/GradMode.h>

#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <chrono>

namespace aotscope::torch {

namespace {

using ::torch::autograd::variable_list;

/// Tells a recorder when autograd adds to a leaf's gradient.
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

class AfterAccumulation final : public ::torch::autograd::FunctionPostHook {
public:
    explicit AfterAccumulation(CallRecorder& recorder) : m_recorder(recorder) {}
    variable_list operator()(const variable_list& outputs, const variable_list& /*inputs*/) override {
        m_recorder.accumulated();
        return outputs;
    }

private:
    CallRecorder& m_recorder;
};

using Accumulator = std::decay_t<decltype(::torch::autograd::impl::grad_accumulator(at::Tensor()))>;

/// The leaves' accumulators, with hooks that tell `recorder`. They last as long as somebody holds them.
std::vector<Accumulator> watchedAccumulators(const std::vector<CallerLeaf>& leaves, CallRecorder& recorder) {
    std::vector<Accumulator> accumulators;
    for (const CallerLeaf& leaf : leaves) {
        Accumulator accumulator = ::torch::autograd::impl::grad_accumulator(leaf.tensor);
        if (accumulator) {
            accumulator->add_pre_hook(std::make_unique<BeforeAccumulation>(recorder, leaf.name));
            accumulator->add_post_hook(std::make_unique<AfterAccumulation>(recorder));
            accumulators.push_back(std::move(accumulator));
        }
    }
    return accumulators;
}

bool hasTangent(const c10::IValue& value) {
    return value.isTensor() && value.toTensor().defined() && value.toTensor().requires_grad() &&
           value.toTensor().numel() > 0;
}

/// Normally distributed, and contiguous in memory.
at::Tensor tangentOf(const at::Tensor& output, std::uint64_t seed) {
    const c10::AutoGradMode noGrad(false);
    at::Generator generator = at::detail::createCPUGenerator(seed);
    const bool isComplex = output.is_complex();
    return at::randn(output.sizes(), generator,
                     at::TensorOptions(isComplex ? at::kComplexDouble : at::kDouble))
        .to(output.device(), output.scalar_type());
}

/// One of the two callers.
struct Side {
    MadeArguments arguments;
    Values outputs;
    std::vector<ArgumentBefore> before;
    std::vector<double> losses;

    void prepare() {
        for (const CallerLeaf& leaf : arguments.leaves) {
            leaf.tensor.mutable_grad().reset();
        }
        outputs.clear();
        before = argumentsBefore(arguments.values);
    }
    /// The backward of the loss, or from tangents made from the seed.
    void differentiate(const session::CallOptions& options) {
        const c10::AutoGradMode grad(true);
        const at::Tensor loss = lossOf(outputs);
        if (!loss.defined()) {
            return;
        }
        losses.push_back(loss.item().toDouble());
        if (options.learningRate) {
            ::torch::autograd::backward({loss}, {});
            return;
        }
        variable_list roots;
        variable_list tangents;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            if (hasTangent(outputs[i])) {
                roots.push_back(outputs[i].toTensor());
                tangents.push_back(
                    tangentOf(roots.back(), tensorSeed(options.seed, "tangent" + std::to_string(i))));
            }
        }
        ::torch::autograd::backward(roots, tangents);
    }
    void step(double rate) {
        const c10::AutoGradMode noGrad(false);
        for (const CallerLeaf& leaf : arguments.leaves) {
            if (leaf.tensor.grad().defined()) {
                leaf.tensor.sub_(leaf.tensor.grad().mul(rate));
            }
        }
    }
    [[nodiscard]] CallSide seen() const { return {arguments, outputs, before}; }
};

class Calls {
public:
    Calls(const CallSubject& subject, const base::Progress& progress)
        : m_subject(subject),
          m_options(subject.request.options),
          m_progress(progress),
          m_context(placedAt(subject.place)),
          m_arguments(subject.request.function, subject.inputs, m_options, m_context),
          m_recorder(subject.request.function, m_arguments.names()),
          m_composed(composeCall(subject.request.function, m_arguments.names(), progress, &m_recorder, {},
                                 subject.packHook, subject.place)),
          m_tolerance(*subject.request.function.graph) {}

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
        }
        for (std::size_t call = 0;
             !m_subject.goThrough && call < m_options.calls && !m_recorder.record().error; ++call) {
            oneCall(call);
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
    void refresh(CallersTensors& callers) const {
        callers.arguments.clear();
        for (const c10::IValue& value : m_compiled.arguments.values) {
            callers.arguments.push_back(value.isTensor() ? value.toTensor() : at::Tensor());
        }
    }

    /// Whether calling the composed function changes the function itself.
    [[nodiscard]] bool keepsState() const {
        const auto& wrappers = m_subject.request.function.wrappers;
        const auto* generator = aot::findWrapper<aot::FunctionalizedRngRuntimeWrapper>(wrappers);
        const auto* fakified = aot::findWrapper<aot::FakifiedOutWrapper>(wrappers);
        return (generator != nullptr && generator->applies) || (fakified != nullptr && fakified->applies);
    }

    void stepThrough() {
        const MadeArguments made = m_compiled.arguments;
        CallersTensors callers;
        callers.names = m_arguments.names();
        refresh(callers);
        for (const CallerLeaf& leaf : made.leaves) {
            callers.leaves.push_back(leaf.tensor);
            callers.leafNames.push_back(leaf.name);
        }
        callers.writesBetweenCalls = m_options.calls > 1 || m_options.learningRate;
        const auto pass = [&] {
            m_compiled = {.arguments = made, .outputs = {}, .before = {}, .losses = {}};
            if (keepsState()) {
                m_composed = composeCall(m_subject.request.function, callers.names, m_progress, &m_recorder,
                                         {}, m_subject.packHook, m_subject.place);
            }
            for (std::size_t call = 0; call < m_options.calls; ++call) {
                m_recorder.beginCall(call);
                if (call > 0) {
                    m_arguments.renew(m_compiled.arguments);
                }
                refresh(callers);
                callCompiled(call);
                if (m_options.learningRate) {
                    m_compiled.step(*m_options.learningRate);
                }
            }
        };
        try {
            m_subject.goThrough(callers, m_recorder, pass);
        } catch (const Canceled&) {
            throw;
        } catch (const std::exception&) {
            m_recorder.record().error = handledError("run.operator_failed");
            return;
        }
        if (m_comparison && m_options.calls == 1) {
            // The passage ended with the optimizer's step.
            callEager(0, m_options.learningRate);
        } else if (m_comparison) {
            m_comparison->skipped = "Several calls were stepped through; those are not compared.";
        }
    }

    void oneCall(std::size_t call) {
        if (m_progress.stopRequested()) {
            throw Canceled{};
        }
        m_recorder.beginCall(call);
        if (call > 0) {
            m_arguments.renew(m_compiled.arguments);
        }
        try {
            callCompiled(call);
        } catch (const Canceled&) {
            throw;
        } catch (const std::exception&) {
            m_recorder.record().error = handledError("run.operator_failed");
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

    void callCompiled(std::size_t call) {
        m_compiled.prepare();
        seedGenerator(m_options.seed + call, m_subject.place.device);
        Values list = m_compiled.arguments.values;
        const c10::AutoGradMode grad(m_subject.request.request.gradEnabled);
        m_compiled.outputs = m_composed.call->call(list);
        m_recorder.beginBackward();
        m_compiled.differentiate(m_options);
        m_recorder.endBackward();
    }

    void runEager(std::size_t call) {
        if (call > 0) {
            m_arguments.renew(m_eager.arguments);
        }
        m_eager.prepare();
        seedGenerator(m_options.seed + call, m_subject.place.device);
        {
            const c10::AutoGradMode grad(m_subject.request.request.gradEnabled);
            m_eager.outputs = m_subject.program(m_eager.arguments.values);
        }
        m_eager.differentiate(m_options);
    }

    /// A call that fails compares as well as eager's that fails too.
    void tellWhetherEagerFails(std::size_t call) {
        if (!m_comparison || !m_comparison->skipped.empty()) {
            return;
        }
        try {
            runEager(call);
            m_comparison->skipped = "In eager mode the program does not fail.";
        } catch (const Canceled&) {
            throw;
        } catch (const std::exception&) {
            m_comparison->skipped = "In eager mode the program fails too: " +
                                    firstLine(handledError("run.operator_failed").message) +
                                    m_arguments.whatToGive();
        }
    }

    /// `stepRate`: compares after a step of SGD with that rate.
    void callEager(std::size_t call, std::optional<double> stepRate = std::nullopt) {
        try {
            runEager(call);
            if (stepRate) {
                m_eager.step(*stepRate);
            }
            compare(call);
        } catch (const Canceled&) {
            throw;
        } catch (const std::exception&) {
            m_comparison->skipped = firstLine(handledError("run.operator_failed").message);
        }
    }

    /// What an eager call of its own gives its caller.
    [[nodiscard]] std::vector<at::Tensor> eagerAgain(std::size_t call) {
        Side side;
        side.arguments = m_arguments.make();
        side.prepare();
        seedGenerator(m_options.seed + call, m_subject.place.device);
        {
            const c10::AutoGradMode grad(m_subject.request.request.gradEnabled);
            side.outputs = m_subject.program(side.arguments.values);
        }
        side.differentiate(m_options);
        return seenTensors(side.seen());
    }

    /// Finds the elements that depend on unwritten memory; those of the first call hold for all.
    void findUnwritten(std::size_t call) {
        if (m_knowsUnwritten || call > 0 || m_subject.place.isGpu()) {
            return;
        }
        m_knowsUnwritten = true;
        try {
            m_unwritten = unwrittenElements([&] { return eagerAgain(call); });
        } catch (const Canceled&) {
            throw;
        } catch (const std::exception&) {
            m_context.note("Which elements depend on memory that nothing has written could not be told: " +
                           firstLine(handledError("run.operator_failed").message));
        }
    }

    [[nodiscard]] std::vector<steps::ComparedValue> comparedValues() {
        clearUnwritten(m_compiled.seen(), m_unwritten);
        clearUnwritten(m_eager.seen(), m_unwritten);
        std::vector<steps::ComparedValue> values =
            compareSides(m_compiled.seen(), m_eager.seen(), m_arguments.names(), m_tolerance);
        tellUnwritten(m_eager.seen(), m_arguments.names(), m_unwritten, values);
        tellLostBases(m_compiled.seen(), m_eager.seen(), values);
        return values;
    }

    /// Of several calls every difference is kept, and the last call whole.
    void compare(std::size_t call) {
        if (leavesMemoryUnwritten(*m_subject.request.request.program) ||
            leavesMemoryUnwritten(*m_subject.request.function.graph)) {
            findUnwritten(call);
        }
        std::vector<steps::ComparedValue> values = comparedValues();
        const bool differs = std::ranges::any_of(values, [](const steps::ComparedValue& value) {
            return !value.agrees && value.relativeError.value_or(0) > 0;
        });
        if (differs && !m_knowsUnwritten) {
            findUnwritten(call);
            values = comparedValues();
        }
        if (call + 1 < m_options.calls) {
            std::erase_if(values, [](const steps::ComparedValue& value) { return value.agrees; });
            for (steps::ComparedValue& value : values) {
                value.name = "call " + std::to_string(call) + ": " + value.name;
            }
        }
        std::ranges::move(values, std::back_inserter(m_comparison->values));
    }

    void finish(std::chrono::steady_clock::time_point start) {
        steps::CallRecord& record = m_recorder.record();
        record.nanoseconds =
            std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start)
                .count();
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
            m_comparison->eagerLosses = m_eager.losses;
            record.eager = std::move(m_comparison);
        }
        record.notes = m_context.notes;
        std::ranges::copy(m_composed.notes, std::back_inserter(record.notes));
        std::ranges::copy(m_composed.settings->notes, std::back_inserter(record.notes));
        if (const auto& halves = m_subject.request.function.partition;
            halves && (!halves->hooks.empty() || m_subject.packHook) && record.eager) {
            record.notes.emplace_back(
                "Eager is called without the program's saved-tensors hooks: where these "
                "keep less than the tensor, the gradients differ.");
        }
    }

    const CallSubject& m_subject;
    const session::CallOptions& m_options;
    base::Progress m_progress;
    RunContext m_context;
    CallerArguments m_arguments;
    CallRecorder m_recorder;
    ComposedCall m_composed;
    CallTolerance m_tolerance;
    Side m_compiled;
    Side m_eager;
    std::optional<steps::EagerCallComparison> m_comparison;
    bool m_knowsUnwritten = false;
    UnwrittenElements m_unwritten;
};

} // namespace

at::Tensor lossOf(const Values& outputs) {
    at::Tensor loss;
    for (const c10::IValue& output : outputs) {
        if (!hasTangent(output)) {
            continue;
        }
        const at::Tensor& tensor = output.toTensor();
        const at::Tensor magnitude = tensor.is_complex() ? tensor.abs() : tensor;
        const at::Tensor wide = magnitude.scalar_type() == at::kDouble ? magnitude : magnitude.to(at::kFloat);
        const at::Tensor mean = wide.mul(wide).mean();
        loss = loss.defined() ? loss.add(mean) : mean;
    }
    return loss;
}

steps::CallRecord callFunction(const CallSubject& subject, const base::Progress& progress) {
    const MemoryLimit limit(availableMemory() / 10 * 9);
    const CurrentPlace current(subject.place);
    return Calls(subject, progress).run();
}

} // namespace aotscope::torch
