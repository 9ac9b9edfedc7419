#include "contract/number_comparison.h"

#include "aot/tensor_elements.h"
#include "ir/dtype.h"
#include "ir/operators/operator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

namespace aotscope::session {
namespace {

/// The elements, parts of complex ones one by one; nothing for a dtype without numbers, which is compared
/// byte by byte.
std::optional<std::vector<double>> tryDoubles(const aot::TensorData& data) {
    const aot::TensorElements elements(data);
    if (!elements.known()) {
        return std::nullopt;
    }
    std::vector<double> numbers;
    numbers.reserve(elements.count() * (elements.isComplex() ? 2 : 1));
    for (std::size_t i = 0; i < elements.count(); ++i) {
        numbers.push_back(elements.part(i, 0));
        if (elements.isComplex()) {
            numbers.push_back(elements.part(i, 1));
        }
    }
    return numbers;
}

/// Sets distance, largest magnitude and NaN count.
void measure(const aot::TensorData& made, const aot::TensorData& recorded, TensorComparison& comparison) {
    comparison.distance = std::numeric_limits<double>::infinity();
    if (made.dtype != recorded.dtype || made.shape != recorded.shape) {
        return;
    }
    const auto mine = tryDoubles(made);
    const auto others = tryDoubles(recorded);
    if (!mine || !others || mine->size() != others->size()) {
        comparison.distance = made.bytes == recorded.bytes ? 0 : comparison.distance;
        return;
    }
    const std::vector<double>& ours = *mine;
    const std::vector<double>& theirs = *others;
    std::vector<double> magnitudes(theirs.size());
    std::ranges::transform(theirs, magnitudes.begin(), [](double each) { return std::abs(each); });
    const double limit = aot::largerScaleFrom(magnitudes);
    // Of elements of the smaller scale and of the larger one.
    std::array<double, 2> worst{};
    std::array<double, 2> largest{};
    for (std::size_t i = 0; i < ours.size(); ++i) {
        if (std::isnan(ours[i]) != std::isnan(theirs[i])) {
            return;
        }
        const std::size_t scale = magnitudes[i] > limit ? 1 : 0;
        if (std::isnan(ours[i])) {
            ++comparison.notNumbers;
        } else if (ours[i] != theirs[i]) {
            worst[scale] = std::max(worst[scale], std::abs(ours[i] - theirs[i]));
        }
        if (std::isfinite(theirs[i])) {
            largest[scale] = std::max(largest[scale], magnitudes[i]);
        }
    }
    comparison.largest = std::max(largest[0], largest[1]);
    comparison.distance = 0;
    for (std::size_t scale = 0; scale < worst.size(); ++scale) {
        const double apart = worst[scale] == 0 ? 0 : worst[scale] / std::max(largest[scale], 1e-30);
        comparison.distance = std::max(comparison.distance, apart);
    }
    // Not every integer is a double.
    const auto type = ir::dtypeFromName(made.dtype);
    if (comparison.distance == 0 && type && (*type == ir::DType::Int64 || *type == ir::DType::UInt64) &&
        made.bytes != recorded.bytes) {
        comparison.distance = 1;
    }
}

double unitRoundoff(ir::DType type) {
    return aot::unitRoundoff(type);
}

double unitRoundoff(const ir::ValueMeta& value) {
    double widest = 0;
    ir::forEachTensor(
        value, [&](const ir::TensorMeta& tensor) { widest = std::max(widest, unitRoundoff(tensor.dtype)); });
    return widest;
}

/// A log's text has no metadata of a node with several results, but of those that pick one of them.
double unitRoundoff(const ir::Graph& graph, ir::NodeId id) {
    double widest = unitRoundoff(graph.node(id).value);
    for (const ir::NodeId user : graph.users(id)) {
        const ir::Node& picked = graph.node(user);
        widest = picked.target == "_operator.getitem" ? std::max(widest, unitRoundoff(picked.value)) : widest;
    }
    return widest;
}

/// The rounding on the path from the inputs to a value.
struct RoundingPath {
    /// Unit roundoff of the narrowest float type on the path.
    double roundoff = 0;
    /// Number of rounding operators on the longest path.
    std::size_t depth = 0;
};

std::vector<RoundingPath> roundingPaths(const ir::Graph& graph) {
    std::vector<RoundingPath> paths(graph.idBound());
    for (const ir::NodeId id : graph.order()) {
        const ir::Node& node = graph.node(id);
        RoundingPath& path = paths[id.index()];
        for (const ir::NodeId input : graph.inputs(id)) {
            path.roundoff = std::max(path.roundoff, paths[input.index()].roundoff);
            path.depth = std::max(path.depth, paths[input.index()].depth);
        }
        // Inputs are equal on both sides, and a view does not round.
        const double own = unitRoundoff(graph, id);
        if (own > 0 && node.op == ir::Opcode::CallFunction && node.target != "_operator.getitem" &&
            !ir::Operator(node.target).is(ir::Trait::View)) {
            path.roundoff = std::max(path.roundoff, own);
            ++path.depth;
        }
    }
    return paths;
}

double allowedOf(const RoundingPath& path) {
    const double terms = path.roundoff <= unitRoundoff(ir::DType::Float32) ? 64 : 1;
    return 2 * path.roundoff * std::sqrt(static_cast<double>(path.depth) * terms);
}

} // namespace

double NumberComparison::worst() const {
    double worst = 0;
    for (const TensorComparison& tensor : tensors) {
        worst = std::max(worst, tensor.distance);
    }
    return worst;
}

std::vector<TensorComparison> NumberComparison::apart() const {
    std::vector<TensorComparison> apart;
    std::ranges::copy_if(tensors, std::back_inserter(apart),
                         [](const TensorComparison& tensor) { return !tensor.agrees(); });
    return apart;
}

std::size_t NumberComparison::notNumbers() const {
    std::size_t count = 0;
    for (const TensorComparison& tensor : tensors) {
        count += tensor.notNumbers;
    }
    return count;
}

std::vector<TensorComparison> NumberComparison::undecided() const {
    std::vector<TensorComparison> undecided;
    std::ranges::copy_if(tensors, std::back_inserter(undecided), &TensorComparison::undecided);
    return undecided;
}

bool NumberComparison::agrees() const {
    return sameCount && std::ranges::all_of(tensors, &TensorComparison::agrees);
}

std::vector<double> allowedDistances(const ir::Graph& graph) {
    const std::vector<RoundingPath> paths = roundingPaths(graph);
    std::vector<double> allowed;
    for (const ir::Argument& returned : graph.returned()) {
        const auto* node = returned.as<ir::NodeId>();
        const bool isFloat = node != nullptr && unitRoundoff(graph.node(*node).value) > 0;
        allowed.push_back(isFloat ? allowedOf(paths[node->index()]) : 0);
    }
    return allowed;
}

double allowedDistanceOfMutations(const ir::Graph& graph) {
    const std::vector<RoundingPath> paths = roundingPaths(graph);
    double most = 0;
    for (const double allowed : allowedDistances(graph)) {
        most = std::max(most, allowed);
    }
    for (const ir::NodeId id : graph.order()) {
        const ir::Node& node = graph.node(id);
        if (node.op == ir::Opcode::CallFunction && graph.users(id).empty() && unitRoundoff(node.value) > 0) {
            most = std::max(most, allowedOf(paths[id.index()]));
        }
    }
    return most;
}

NumberComparison compareNumbers(const ir::Graph& graph, const std::vector<aot::TensorData>& made,
                                const std::vector<std::optional<aot::TensorData>>& expected) {
    const std::vector<double> allowed = allowedDistances(graph);
    const double most = allowedDistanceOfMutations(graph);
    NumberComparison comparison;
    comparison.sameCount = made.size() == expected.size();
    for (std::size_t i = 0; i < std::min(made.size(), expected.size()); ++i) {
        if (expected[i]) {
            TensorComparison& tensor = comparison.tensors.emplace_back();
            tensor.position = i;
            tensor.allowed = i < allowed.size() ? allowed[i] : most;
            measure(made[i], *expected[i], tensor);
        } else {
            comparison.missing.push_back(i);
        }
    }
    return comparison;
}

void growSpread(std::vector<double>& spread, const std::vector<aot::TensorData>& made,
                const std::vector<aot::TensorData>& again) {
    spread.resize(made.size());
    for (std::size_t i = 0; i < std::min(made.size(), again.size()); ++i) {
        TensorComparison comparison;
        measure(again[i], made[i], comparison);
        if (std::isfinite(comparison.distance)) {
            spread[i] = std::max(spread[i], comparison.distance);
        }
    }
}

void allowSpread(NumberComparison& comparison, const std::vector<aot::TensorData>& made,
                 const std::vector<double>& spread) {
    constexpr double times = 4;
    constexpr double mostAllowed = 0.25;
    for (TensorComparison& tensor : comparison.tensors) {
        if (tensor.position < std::min(made.size(), spread.size())) {
            const auto dtype = ir::dtypeFromName(made[tensor.position].dtype);
            const double roundoff = dtype ? aot::unitRoundoff(*dtype) : 0;
            const double widened =
                std::max(tensor.allowed, times * std::max(roundoff, spread[tensor.position]));
            // Where roundings decide a value, or move it by much, its numbers decide nothing.
            tensor.undecided = tensor.distance > tensor.allowed && tensor.distance <= widened &&
                               (roundoff == 0 || widened > mostAllowed);
            tensor.allowed = widened;
        }
    }
}

void allowOtherRoundings(
    NumberComparison& comparison, const std::vector<aot::TensorData>& made,
    const std::function<std::optional<std::vector<aot::TensorData>>(std::uint64_t noise)>& runAgain) {
    if (comparison.agrees()) {
        return;
    }
    constexpr std::uint64_t noisyRuns = 8;
    std::vector<double> spread;
    for (std::uint64_t noise = 0; noise < noisyRuns; ++noise) {
        if (const auto again = runAgain(noise)) {
            growSpread(spread, made, *again);
        }
    }
    if (!spread.empty()) {
        allowSpread(comparison, made, spread);
    }
}

} // namespace aotscope::session
