#include "wrappers/call_numbers.h"

#include "dispatch/dtypes.h"
#include "dispatch/failure.h"
#include "dispatch/handled_error.h"
#include "run/execution/operator_watch.h"
#include "run/reference/rounding_noise.h"
#include "run/reference/tensor_distance.h"
#include "run/state/float64_copy.h"
#include "run/state/value_access.h"

#include "aot/tensor_elements.h"
#include "base/formatted.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace aotscope::torch {

namespace {

/// How many times as much as eager's value changes by other roundings, or is off from float64.
constexpr double timesSpread = 4;
constexpr double timesEagersError = 2;
constexpr std::uint64_t noisyRuns = 4;
/// Where more than that part of the largest magnitude would be allowed, numbers decide nothing.
constexpr double mostAllowed = 0.25;

std::string shortNumber(double number) {
    return base::formatted("%.3g", number);
}

bool isNumeric(const steps::ComparedValue& value) {
    return !value.agrees && value.structure.empty() && value.relativeError && value.notComparable.empty();
}

bool isDtype(const c10::Argument& argument) {
    c10::TypePtr type = argument.real_type();
    if (const auto optional = type->cast<c10::OptionalType>()) {
        type = optional->getElementType();
    }
    return type->kind() == c10::TypeKind::ScalarTypeType;
}

/// Operators that read a number's bits, which differ in a wider dtype.
bool readsBits(const c10::OperatorHandle& op) {
    const std::string_view name = plainName(op);
    return (name == "view" && op.operator_name().overload_name == "dtype") || name == "nextafter" ||
           name == "frexp";
}

/// Makes a program that is called with float64 tensors compute in float64 throughout: what it converts to a
/// narrower float, or makes as one, stays float64. A program whose operators have no such form fails, or
/// takes values for bits that are others.
class EagerInFloat64 final : public OperatorWatch {
public:
    void call(const c10::OperatorHandle& op, c10::Stack& stack) override {
        if (readsBits(op)) {
            fail("call.no_float64", op.operator_name().name + " reads the bits of a number");
        }
        const auto& arguments = op.schema().arguments();
        const std::size_t first = stack.size() - arguments.size();
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            c10::IValue& value = stack[first + i];
            if (value.isInt() && isDtype(arguments[i])) {
                value = static_cast<std::int64_t>(exactType(static_cast<c10::ScalarType>(value.toInt())));
            }
        }
        carryOut(op, stack);
    }

private:
    Float64Default m_default;
};

double ownRoundoff(const at::Tensor& tensor) {
    return aot::unitRoundoff(dtypeOf(tensor.scalar_type()));
}

/// Follows in which float dtypes values are computed: each value's narrowest on the way to it from what
/// nobody computed.
class ComputedTypes final : public OperatorWatch {
public:
    void call(const c10::OperatorHandle& op, c10::Stack& stack) override {
        double roundoff = 0;
        for (const c10::IValue& argument : argumentsOn(op, stack)) {
            forEachTensor(argument,
                          [&](const at::Tensor& tensor) { roundoff = std::max(roundoff, onTheWay(tensor)); });
        }
        const bool isView = makesView(op);
        carryOut(op, stack);
        for (const c10::IValue& result : resultsOn(op, stack)) {
            forEachTensor(result, [&](const at::Tensor& tensor) {
                computed(tensor, isView ? roundoff : std::max(roundoff, ownRoundoff(tensor)));
            });
        }
    }

    /// The unit roundoff of the narrowest float dtype on the way to the tensor, its own included.
    [[nodiscard]] double narrowest(const at::Tensor& tensor) const {
        return std::max(ownRoundoff(tensor), onTheWay(tensor));
    }

private:
    [[nodiscard]] double onTheWay(const at::Tensor& tensor) const {
        const auto found = m_roundoffs.find(storageIn(tensor));
        return found == m_roundoffs.end() ? 0 : found->second.second;
    }

    void computed(const at::Tensor& tensor, double roundoff) {
        if (!tensor.has_storage()) {
            return;
        }
        const auto [entry, added] = m_roundoffs.try_emplace(
            storageIn(tensor), Storage(tensor.storage().getWeakStorageImpl()), roundoff);
        entry->second.second = std::max(entry->second.second, roundoff);
    }

    /// By storage, which is not freed as long as it is here.
    using Storage = c10::weak_intrusive_ptr<c10::StorageImpl>;
    std::unordered_map<const c10::StorageImpl*, std::pair<Storage, double>> m_roundoffs;
};

/// By the name of the value: the largest distance seen so far.
using Distances = std::map<std::string, double>;

void addDistances(Distances& distances, const CallerSide& side, const CallerSide& from,
                  const std::vector<std::string>& names) {
    const NamedTensors others = from.tensors(names);
    for (const auto& [name, tensor] : side.tensors(names)) {
        const auto other = others.find(name);
        if (other == others.end()) {
            continue;
        }
        const bool isAlike = other->second.sizes() == tensor.sizes();
        const double distance = isAlike ? relativeDistance(tensor, other->second).value_or(0)
                                        : std::numeric_limits<double>::infinity();
        double& largest = distances[name];
        largest = std::max(largest, distance);
    }
}

std::optional<double> distanceOf(const Distances& distances, const std::string& name) {
    const auto found = distances.find(name);
    return found == distances.end() ? std::nullopt : std::optional(found->second);
}

/// Distances of each value, as fractions of its largest magnitude.
struct Measured {
    /// The largest finite distance of runs that round in other ways, and the values whose infinities, NaNs or
    /// sizes are others in such a run: that says nothing of how far finite numbers may be apart.
    Distances spread;
    std::set<std::string> jumps;
    Distances eagerFromExact;
    Distances compiledFromExact;
    /// Why there is no float64 reference; empty: there is one.
    std::string noExact;

    void decide(steps::ComparedValue& value) const {
        const double apart = *value.relativeError;
        const auto eager = distanceOf(eagerFromExact, value.name);
        const auto compiled = distanceOf(compiledFromExact, value.name);
        const double close = *value.allowed;
        const bool isExact = close == 0;
        const double spreads = distanceOf(spread, value.name).value_or(0);
        if (timesSpread * spreads > *value.allowed) {
            value.allowed = timesSpread * spreads;
            value.limit = "4 times what other roundings change in eager mode";
        }
        const bool isNear = eager && *eager <= mostAllowed / (1 + timesEagersError) && !isExact;
        if (isNear) {
            value.limit += "; eager mode is " + shortNumber(*eager) + " off from float64, compiled " +
                           shortNumber(compiled.value_or(0));
        }
        if (!std::isfinite(apart) && jumps.contains(value.name)) {
            value.agrees = true;
            value.notComparable = "other roundings change eager mode's infinities, NaNs or sizes too";
        } else if (apart <= *value.allowed) {
            value.agrees = true;
            // Far within what roundings move it, and no worse than eager's own, it is as good.
            const bool isFar = apart > spreads / 2 || apart > mostAllowed;
            const bool isWorse = eager && compiled && *compiled > timesSpread * std::max(*eager, close);
            const bool isWide = *value.allowed > mostAllowed && (isFar || isWorse) && apart > close;
            if (isExact || isWide) {
                value.notComparable = "other roundings change eager mode's value by " + shortNumber(spreads) +
                                      " of the largest magnitude, so its numbers decide nothing";
            }
        } else if (isNear && compiled && *compiled <= timesEagersError * *eager) {
            value.agrees = true;
            value.allowed = (1 + timesEagersError) * *eager;
            value.limit += ": up to twice eager mode's error is allowed";
        } else if (!spread.contains(value.name)) {
            // Only a finite distance of one of the runs makes an entry.
            value.agrees = true;
            value.notComparable = "how far other roundings move it could not be measured: eager mode refuses "
                                  "slightly other numbers, or makes NaNs or infinities of them";
        } else if (!noExact.empty()) {
            value.limit += "; there is no float64 reference: " + noExact;
        }
    }
};

void measureFloat64(const NumberJudge& judge, Measured& measured, const CallerSide& compiled,
                    const CallerSide& eager, std::size_t last) {
    DrawRecorder recorder;
    CallerRuns runs = judge.runs;
    if (judge.paths.draws()) {
        // Float64 draws other numbers from the same seed.
        (void)judge.runs.until(last, &recorder);
        runs.drawAgain(&recorder.draws);
    }
    EagerInFloat64 inFloat64;
    const CallerSide exact = runs.until(last, &inFloat64, &eager.outputs);
    addDistances(measured.eagerFromExact, eager, exact, judge.names);
    addDistances(measured.compiledFromExact, compiled, exact, judge.names);
}

Measured measure(const NumberJudge& judge, const CallerSide& compiled, const CallerSide& eager,
                 std::size_t last) {
    Measured measured;
    for (std::uint64_t run = 0; run < noisyRuns; ++run) {
        if (judge.progress.stopRequested()) {
            throw Canceled{};
        }
        RoundingNoise noise(run);
        // A program that checks its numbers may refuse others: the other runs tell.
        (void)failureOf("call.numbers", [&] {
            Distances distances;
            addDistances(distances, judge.runs.until(last, &noise), eager, judge.names);
            for (const auto& [name, distance] : distances) {
                if (std::isfinite(distance)) {
                    double& largest = measured.spread[name];
                    largest = std::max(largest, distance);
                } else {
                    measured.jumps.insert(name);
                }
            }
        });
    }
    if (const auto failed =
            failureOf("call.no_float64", [&] { measureFloat64(judge, measured, compiled, eager, last); })) {
        measured.noExact = firstLine(failed->message);
    }
    return measured;
}

void findCauses(const NumberJudge& judge, std::vector<steps::ComparedValue>& values, std::size_t last) {
    ComputedTypes types;
    const CallerSide side = judge.runs.until(last, &types);
    const NamedTensors tensors = side.tensors(judge.names);
    for (steps::ComparedValue& value : values) {
        const auto tensor = tensors.find(value.name);
        if (!isNumeric(value) || tensor == tensors.end()) {
            continue;
        }
        value.causes = judge.paths.narrower(value.name, types.narrowest(tensor->second));
        if (value.name.starts_with("gradient") && !judge.paths.drawsOn(value.name).empty()) {
            for (const std::string& node : judge.paths.drawnAgain()) {
                value.causes.push_back(node + " is recomputed in the backward and draws other numbers");
            }
        }
    }
}

} // namespace

void compareClosely(steps::ComparedValue& value, c10::ScalarType type) {
    value.allowed = std::min(closeDistance(type), mostAllowed / 4);
    value.limit = *value.allowed == 0 ? "no rounding of " + std::string(dtypeText(type))
                                      : "4 roundings of " + std::string(dtypeText(type));
    value.agrees = value.structure.empty() && value.relativeError.value_or(0) <= *value.allowed;
}

void NumberJudge::judge(std::vector<steps::ComparedValue>& values, const CallerSide& compiled,
                        const CallerSide& eager, std::size_t last) const {
    if (std::ranges::none_of(values, isNumeric)) {
        return;
    }
    const Measured measured = measure(*this, compiled, eager, last);
    for (steps::ComparedValue& value : values) {
        if (isNumeric(value)) {
            measured.decide(value);
        }
    }
    if (std::ranges::none_of(values, isNumeric)) {
        return;
    }
    // The verdict stands without them.
    (void)failureOf("call.numbers", [&] { findCauses(*this, values, last); });
}

} // namespace aotscope::torch
