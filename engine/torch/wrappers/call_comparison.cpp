#include "wrappers/call_comparison.h"

#include "run/tensor_distance.h"
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
    const auto add = [&](const std::string& name, const IValue& left, const IValue& right,
                         std::size_t index) {
        const at::Tensor* made = tensorIn(left);
        const at::Tensor* expected = tensorIn(right);
        if (made == nullptr || expected == nullptr) {
            values.push_back(compareOther(name, left, right));
            return;
        }
        StructureDifferences differences;
        compareStructure(compiled, eager, index, differences);
        values.push_back(compareTensors(name, *made, *expected, std::move(differences)));
    };
    if (compiled.outputs.size() != eager.outputs.size()) {
        steps::ComparedValue count;
        count.name = "outputs";
        count.structure = "compiled returns " + std::to_string(compiled.outputs.size()) + ", eager " +
                          std::to_string(eager.outputs.size());
        count.agrees = false;
        values.push_back(std::move(count));
    }
    for (std::size_t i = 0; i < std::min(compiled.outputs.size(), eager.outputs.size()); ++i) {
        add("output " + std::to_string(i), compiled.outputs[i], eager.outputs[i], arguments + i);
    }
    for (std::size_t i = 0; i < arguments; ++i) {
        add(names.at(i) + " after the call", compiled.arguments.values[i], eager.arguments.values[i], i);
    }
    for (std::size_t i = 0; i < compiled.arguments.leaves.size(); ++i) {
        const at::Tensor& left = compiled.arguments.leaves[i].tensor.grad();
        const at::Tensor& right = eager.arguments.leaves[i].tensor.grad();
        const std::string name = "gradient of " + compiled.arguments.leaves[i].name;
        if (left.defined() && right.defined()) {
            values.push_back(compareTensors(name, left, right, {}));
        } else if (left.defined() != right.defined()) {
            steps::ComparedValue value;
            value.name = name;
            value.structure =
                left.defined() ? "compiled has one, eager none" : "compiled has none, eager one";
            value.agrees = false;
            values.push_back(std::move(value));
        }
    }
    return values;
}

} // namespace aotscope::torch
