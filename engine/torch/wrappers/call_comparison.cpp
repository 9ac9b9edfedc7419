#include "wrappers/call_comparison.h"

#include "run/tensor_distance.h"
#include "run/value_access.h"
#include "wrappers/call_numbers.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace aotscope::torch {

namespace {

using c10::IValue;

steps::ComparedValue compareTensors(std::string name, const at::Tensor& compiled, const at::Tensor& eager,
                                    StructureDifferences differences) {
    steps::ComparedValue value;
    value.name = std::move(name);
    compareShapes(compiled, eager, differences);
    if (compiled.sizes() == eager.sizes()) {
        value.relativeError = relativeDistance(compiled, eager);
    }
    value.structure = differences.take();
    compareClosely(value, eager.scalar_type());
    return value;
}

steps::ComparedValue compareOther(std::string name, const IValue& compiled, const IValue& eager) {
    steps::ComparedValue value;
    value.name = std::move(name);
    const auto isNumber = [](const IValue& each) { return each.isInt() || each.isDouble() || each.isBool(); };
    const auto isNone = [](const IValue& each) {
        return each.isNone() || (each.isTensor() && !each.toTensor().defined());
    };
    const auto number = [](const IValue& each) {
        return each.isInt()    ? static_cast<double>(each.toInt())
               : each.isBool() ? static_cast<double>(each.toBool())
                               : each.toDouble();
    };
    if (isNumber(compiled) && isNumber(eager)) {
        const double left = number(compiled);
        const double right = number(eager);
        const bool isSame = left == right || (std::isnan(left) && std::isnan(right));
        const double apart = isSame                        ? 0
                             : std::isfinite(left - right) ? std::abs(left - right)
                                                           : std::numeric_limits<double>::infinity();
        value.relativeError = isSame ? 0 : apart / std::max(std::abs(right), 1e-300);
        compareClosely(value, eager.isDouble() ? c10::kDouble : c10::kLong);
    } else if (isNone(compiled) != isNone(eager) ||
               (!isNone(compiled) && compiled.tagKind() != eager.tagKind())) {
        const auto kindOf = [&](const IValue& each) { return isNone(each) ? "None" : each.tagKind(); };
        value.structure = "compiled " + kindOf(compiled) + ", eager " + kindOf(eager);
        value.agrees = false;
    } else if (!isNone(compiled)) {
        value.notComparable = "values of this kind (" + compiled.tagKind() + ") are not compared";
    }
    return value;
}

} // namespace

std::vector<steps::ComparedValue> compareSides(const CallerSide& compiled, const CallerSide& eager,
                                               const std::vector<std::string>& names) {
    const c10::AutoGradMode noGrad(false);
    std::vector<steps::ComparedValue> values;
    const std::size_t arguments = compiled.arguments.values.size();
    const auto differs = [&](std::string name, std::string how) {
        values.push_back({.name = std::move(name), .structure = std::move(how), .agrees = false});
    };
    // `index`: the value's place among arguments and outputs; nothing: a gradient.
    const auto add = [&](const std::string& name, const IValue& left, const IValue& right,
                         std::optional<std::size_t> index) {
        const at::Tensor* made = tensorIn(left);
        const at::Tensor* expected = tensorIn(right);
        StructureDifferences differences;
        if (made != nullptr && expected != nullptr) {
            if (index) {
                compareStructure(compiled, eager, *index, differences);
            }
            values.push_back(compareTensors(name, *made, *expected, std::move(differences)));
        } else if (index) {
            values.push_back(compareOther(name, left, right));
        } else if (made != nullptr || expected != nullptr) {
            differs(name, made != nullptr ? "compiled has one, eager none" : "compiled has none, eager one");
        }
    };
    if (compiled.outputs.size() != eager.outputs.size()) {
        differs("outputs", "compiled returns " + std::to_string(compiled.outputs.size()) + ", eager " +
                               std::to_string(eager.outputs.size()));
    }
    for (std::size_t i = 0; i < std::min(compiled.outputs.size(), eager.outputs.size()); ++i) {
        add("output " + std::to_string(i), compiled.outputs[i], eager.outputs[i], arguments + i);
    }
    for (std::size_t i = 0; i < arguments; ++i) {
        add(names.at(i) + " after the call", compiled.arguments.values[i], eager.arguments.values[i], i);
    }
    for (std::size_t i = 0; i < compiled.arguments.leaves.size(); ++i) {
        const CallerLeaf& leaf = compiled.arguments.leaves[i];
        add("gradient of " + leaf.name, leaf.tensor.grad(), eager.arguments.leaves[i].tensor.grad(),
            std::nullopt);
    }
    return values;
}

} // namespace aotscope::torch
