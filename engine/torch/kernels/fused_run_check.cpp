#include "torch/kernels/fused_run_check.h"

#include "dispatch/failure.h"
#include "dispatch/handled_error.h"
#include "run/execution/generator_seed.h"
#include "run/inputs/graph_inputs.h"
#include "run/state/value_access.h"
#include "torch/kernels/exact_values.h"
#include "torch/kernels/fused_run.h"
#include "torch/kernels/kernel_distance.h"
#include "torch/kernels/plan_from_run.h"

#include "contract/number_comparison.h"

#include <algorithm>
#include <string>

namespace aotscope::torch {

namespace {

using c10::IValue;

/// `distance` is what two correct kernels of one operator may differ by, and here most operators have
/// another kernel, of other functions and other orders of sums: thirty-two times as much, but at most a
/// hundredth where the dtype is coarse.
double allowedOfRuns(double distance) {
    return std::min(distance * 32, std::max(distance * 8, 0.01));
}

std::string placeText(std::size_t position) {
    return "value " + std::to_string(position);
}

/// A tensor that is further from the plain run's than its dtype lets expect.
struct ApartTensor {
    std::size_t position = 0;
    /// Among the tensors of that value.
    std::size_t tensor = 0;
    std::string worst;
    double distance = 0;
    double allowed = 0;
};

class FusedRunCheck {
public:
    FusedRunCheck(const ir::Graph& graph, const session::RunOptions& options, const base::Progress& progress,
                  const PlainRun& plain)
        : m_graph(graph), m_options(options), m_progress(progress), m_plain(plain) {}

    session::FusedRunVerdict check(const kernels::FusionPlan& plan, const CompiledKernels& compiled) {
        if (auto failed = failureOf("run.operator_failed", [&] { runFusedGraph(plan, compiled); })) {
            m_verdict.failure = std::move(failed->message);
            return std::move(m_verdict);
        }
        compare();
        if (!m_apart.empty()) {
            judgeExactly();
        }
        return std::move(m_verdict);
    }

private:
    void runFusedGraph(const kernels::FusionPlan& plan, const CompiledKernels& compiled) {
        RunContext context = contextOf(m_graph, m_options, m_progress);
        // The inputs of the first run, which knew no sizes that data decide; the kernels are for these.
        std::vector<IValue> inputs = graphInputs(m_graph, m_options, context);
        context.symbols = m_plain.symbols;
        const std::vector<IValue> held = inputs;
        Executor executor(context);
        seedGenerator(m_options.seed, context.place.device);
        m_made = runFused(executor, m_graph, plan, compiled, std::move(inputs));
        m_made.insert(m_made.end(), held.begin(), held.end());
    }

    void compare() {
        m_verdict.agrees = m_made.size() == m_plain.values.size();
        const std::vector<double> allowed = session::allowedDistances(m_graph);
        const double most = session::allowedDistanceOfMutations(m_graph);
        for (std::size_t i = 0; m_verdict.agrees && i < m_made.size(); ++i) {
            const std::vector<at::Tensor> left = tensorsIn(m_made[i]);
            const std::vector<at::Tensor> right = tensorsIn(m_plain.values[i]);
            if (left.size() != right.size()) {
                m_verdict.agrees = false;
                m_verdict.difference = placeText(i) + " has another number of tensors";
                m_apart.clear();
                return;
            }
            const double ofRuns = allowedOfRuns(i < allowed.size() && allowed[i] > 0 ? allowed[i] : most);
            // Digits that a kernel lost are missing in all that follows from its result.
            const double withLost = std::max(ofRuns, std::min(4 * m_plain.lost, 0.01));
            for (std::size_t j = 0; j < left.size(); ++j) {
                compareTensors(left[j], right[j], {i, j, {}, 0, withLost});
            }
        }
    }

    void compareTensors(const at::Tensor& made, const at::Tensor& expected, ApartTensor found) {
        if (expected.layout() != at::kStrided || expected.is_complex() || expected.is_quantized()) {
            return;
        }
        const double magnitude = largestMagnitude(expected);
        GroupAccuracy accuracy;
        accuracy.roundoff = found.allowed / 4;
        // A run that left the range of its dtype has no numbers to compare.
        accuracy.overflows = mayOverflow(magnitude, expected.scalar_type()) || !isFinite(expected);
        const KernelDistance distance = distanceOf(made, expected, accuracy);
        found.distance = magnitude > 0 ? distance.error / magnitude : distance.error;
        if (!distance.agrees()) {
            found.worst = distance.worst;
            m_apart.push_back(std::move(found));
        } else if (found.distance >= m_verdict.distance) {
            m_verdict.distance = found.distance;
            m_verdict.allowed = found.allowed;
        }
    }

    /// The graph's own operators lose digits too, where large numbers cancel.
    void judgeExactly() {
        const bool areNear = areNearExact(
            m_apart, [&] { return exactRun(m_graph, m_options, m_progress); },
            [this](const ApartTensor& apart, const ExactValues& exact) { return isExplained(apart, exact); },
            [this](const ApartTensor& apart, const std::string& why) { differs(apart, why); });
        if (areNear) {
            m_verdict.explained = asFarText(placeText(m_apart.front().position), m_apart.front().worst);
        }
    }

    [[nodiscard]] bool isExplained(const ApartTensor& apart, const ExactValues& exact) const {
        const auto tensorOf = [&](const std::vector<IValue>& values) {
            const std::vector<at::Tensor> tensors = apart.position < values.size()
                                                        ? tensorsIn(values[apart.position])
                                                        : std::vector<at::Tensor>();
            return apart.tensor < tensors.size() ? tensors[apart.tensor] : at::Tensor();
        };
        std::vector<at::Tensor> correct = {tensorOf(m_plain.values)};
        for (const std::vector<IValue>& values : exact.correct) {
            correct.push_back(tensorOf(values));
        }
        return isAsNear(tensorOf(m_made), tensorOf(exact.exact), correct);
    }

    void differs(const ApartTensor& apart, const std::string& why) {
        m_verdict.agrees = false;
        m_verdict.difference = placeText(apart.position) + ": " + apart.worst + why;
        m_verdict.distance = apart.distance;
        m_verdict.allowed = apart.allowed;
    }

    const ir::Graph& m_graph;
    const session::RunOptions& m_options;
    const base::Progress& m_progress;
    const PlainRun& m_plain;
    std::vector<IValue> m_made;
    std::vector<ApartTensor> m_apart;
    session::FusedRunVerdict m_verdict;
};

} // namespace

session::FusedRunVerdict checkFusedRun(const ir::Graph& graph, const session::RunOptions& options,
                                       const base::Progress& progress, const kernels::FusionPlan& plan,
                                       const CompiledKernels& compiled, const PlainRun& plain) {
    return FusedRunCheck(graph, options, progress, plain).check(plan, compiled);
}

} // namespace aotscope::torch
