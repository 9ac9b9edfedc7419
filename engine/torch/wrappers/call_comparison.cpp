#include "wrappers/call_comparison.h"

#include "dispatch/dtypes.h"
#include "dispatch/python_numbers.h"
#include "run/execution/metadata_check.h"
#include "run/reference/tensor_distance.h"
#include "run/state/value_access.h"
#include "wrappers/call_function.h"
#include "wrappers/call_numbers.h"
#include "wrappers/value_paths.h"
#include "wrappers/value_states.h"

#include <c10/core/GradMode.h>

#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace aotscope::torch {

namespace {

using c10::IValue;

/// The value of a caller at that place, arguments first.
const at::Tensor& visibleTensor(const CallerSide& side, std::size_t index) {
    const std::size_t arguments = side.arguments.values.size();
    return (index < arguments ? side.arguments.values[index] : side.outputs.at(index - arguments)).toTensor();
}

/// The values a caller sees, in one list: arguments, then outputs. The side must outlive it.
class VisibleValues {
public:
    explicit VisibleValues(const CallerSide& side)
        : m_arguments(side.arguments.values.size()), m_knowsBases(!side.arguments.inInferenceMode) {
        for (const IValue& value : side.arguments.values) {
            m_values.push_back(tensorIn(value));
        }
        for (const IValue& value : side.outputs) {
            m_values.push_back(tensorIn(value));
        }
    }

    /// "is argument 0", "shares memory with output 1 from byte 8, view of argument 0"; of the values before
    /// it.
    std::string relation(std::size_t index) const {
        const std::string text = sharing(index);
        if (m_values[index] == nullptr || text.starts_with("is ")) {
            return text;
        }
        const std::string base = visibleBase(index);
        return base.empty() ? text : text + (text.empty() ? "" : ", ") + base;
    }

    /// The first part of it alone.
    std::string sharing(std::size_t index) const {
        const at::Tensor* tensor = m_values[index];
        if (tensor == nullptr) {
            return {};
        }
        for (std::size_t i = 0; i < index; ++i) {
            if (m_values[i] != nullptr && m_values[i]->is_same(*tensor)) {
                return "is " + name(i);
            }
        }
        const bool hasMemory = tensor->has_storage() && tensor->storage().nbytes() > 0;
        for (std::size_t i = 0; hasMemory && i < index; ++i) {
            if (m_values[i] != nullptr && m_values[i]->has_storage() && m_values[i]->is_alias_of(*tensor)) {
                return "shares memory with " + name(i) + ", " +
                       std::to_string(tensor->storage_offset() - m_values[i]->storage_offset()) +
                       " elements after its start";
            }
        }
        return {};
    }

private:
    std::string name(std::size_t index) const {
        return index < m_arguments ? "argument " + std::to_string(index)
                                   : "output " + std::to_string(index - m_arguments);
    }

    /// The base of a view, if a caller can tell which one it is.
    std::string visibleBase(std::size_t index) const {
        const at::Tensor* tensor = m_values[index];
        if (!m_knowsBases || !tensor->is_view()) {
            return {};
        }
        const at::Tensor base(tensor->_base());
        for (std::size_t i = 0; i < m_values.size(); ++i) {
            if (m_values[i] != nullptr && m_values[i]->is_same(base)) {
                return "view of " + name(i);
            }
        }
        for (std::size_t i = 0; i < index; ++i) {
            if (m_values[i] != nullptr && m_values[i]->is_view() &&
                at::Tensor(m_values[i]->_base()).is_same(base)) {
                return "view of the base of " + name(i);
            }
        }
        return {};
    }

    std::size_t m_arguments;
    bool m_knowsBases;
    std::vector<const at::Tensor*> m_values;
};

/// What differs between two callers, in words: "WHAT: compiled HERE, eager THERE; …".
class StructureDifferences {
public:
    void compare(const std::string& what, bool compiled, bool eager) {
        compare(what, std::string(compiled ? "yes" : "no"), std::string(eager ? "yes" : "no"));
    }
    void compare(const std::string& what, const std::string& compiled, const std::string& eager) {
        if (compiled != eager) {
            m_text += (m_text.empty() ? "" : "; ") + what + ": compiled " +
                      (compiled.empty() ? "none" : compiled) + ", eager " + (eager.empty() ? "none" : eager);
        }
    }
    [[nodiscard]] std::string take() { return std::move(m_text); }

private:
    std::string m_text;
};

/// Whether an output is in eager mode one of several views that one operator returned (unbind, split), and
/// compiled a tensor without a base in the same memory. PyTorch does not regenerate such views.
bool losesItsBase(const CallerSide& compiled, const CallerSide& eager, std::size_t output) {
    const std::size_t index = compiled.arguments.values.size() + output;
    const at::Tensor* made = output < compiled.outputs.size() ? tensorIn(compiled.outputs[output]) : nullptr;
    const at::Tensor* expected = output < eager.outputs.size() ? tensorIn(eager.outputs[output]) : nullptr;
    if (made == nullptr || expected == nullptr || made->is_view() || !expected->is_view()) {
        return false;
    }
    namespace autograd = ::torch::autograd;
    const auto* view = autograd::impl::get_view_autograd_meta(*expected);
    return view != nullptr && view->get_creation_meta() == autograd::CreationMeta::MULTI_OUTPUT_NODE &&
           VisibleValues(compiled).sharing(index) == VisibleValues(eager).sharing(index);
}

/// What a caller can tell of one value but for its numbers. `index` counts arguments, then outputs.
void compareStructure(const CallerSide& compiled, const CallerSide& eager, std::size_t index,
                      StructureDifferences& differences) {
    const at::Tensor& made = visibleTensor(compiled, index);
    const at::Tensor& expected = visibleTensor(eager, index);
    const std::size_t arguments = compiled.arguments.values.size();
    if (index < arguments || !losesItsBase(compiled, eager, index - arguments)) {
        differences.compare("aliasing", VisibleValues(compiled).relation(index),
                            VisibleValues(eager).relation(index));
    }
    differences.compare("requires_grad", made.requires_grad(), expected.requires_grad());
    differences.compare("grad_fn", !gradFnName(made).empty(), !gradFnName(expected).empty());
    if (index < compiled.arguments.values.size()) {
        const ArgumentBefore& before = eager.before[index];
        const bool isCounted = static_cast<std::uint32_t>(expected._version()) != before.version;
        const bool isWritten = static_cast<std::uint32_t>(made._version()) != compiled.before[index].version;
        if (isCounted || contentsOf(expected) == before.contents) {
            differences.compare("written to", isWritten, isCounted);
        }
    }
}

/// Dtype, sizes, and strides of dimensions with more than one element.
void compareShapes(const at::Tensor& compiled, const at::Tensor& eager, StructureDifferences& differences) {
    differences.compare("dtype", dtypeText(compiled.scalar_type()), dtypeText(eager.scalar_type()));
    differences.compare("sizes", sizesText(compiled.sizes()), sizesText(eager.sizes()));
    if (compiled.layout() == c10::kStrided && eager.layout() == c10::kStrided &&
        compiled.sizes() == eager.sizes() && !hasStrides(compiled, eager.strides())) {
        differences.compare("strides", sizesText(compiled.strides()), sizesText(eager.strides()));
    }
}

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
    const auto isNone = [](const IValue& each) {
        return each.isNone() || (each.isTensor() && !each.toTensor().defined());
    };
    if (python::isNumber(compiled) && python::isNumber(eager)) {
        const double left = python::real(compiled);
        const double right = python::real(eager);
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

void tellLostBases(const CallerSide& compiled, const CallerSide& eager,
                   std::vector<steps::ComparedValue>& values) {
    for (std::size_t i = 0; i < eager.outputs.size(); ++i) {
        const auto value =
            std::ranges::find(values, "output " + std::to_string(i), &steps::ComparedValue::name);
        if (value != values.end() && losesItsBase(compiled, eager, i)) {
            value->notComparable +=
                std::string(value->notComparable.empty() ? "" : "; ") +
                "in eager mode it is one of several views that one operator returns (unbind, split); "
                "PyTorch's "
                "compiled function returns those as tensors of their own that share memory";
        }
    }
}

void tellRandom(const ValuePaths& paths, const std::string& why, std::vector<steps::ComparedValue>& values) {
    for (steps::ComparedValue& value : values) {
        if (!value.agrees && value.structure.empty() && !paths.drawsOn(value.name).empty()) {
            value.agrees = true;
            value.notComparable =
                "random: it depends on " + paths.drawsOn(value.name).front() + ", and " + why;
        }
    }
}

void keepDifferences(std::vector<steps::ComparedValue>& values, std::size_t call) {
    std::erase_if(values,
                  [](const steps::ComparedValue& value) { return value.word() == base::VerdictWord::Equal; });
    for (steps::ComparedValue& value : values) {
        value.name = "call " + std::to_string(call) + ": " + value.name;
    }
}

std::vector<std::string> callConfiguration(const CallSubject& subject, const CallerArguments& arguments) {
    const session::CallOptions& options = subject.request.options;
    std::vector<std::string> lines = {"eager mode is Dynamo's graph run operator by operator, not the "
                                      "person's Python program",
                                      "seed " + std::to_string(options.seed) + ", " +
                                          std::to_string(options.calls) + " call(s), on " +
                                          subject.place.device.str()};
    lines.push_back("gradient mode " + std::string(subject.request.request.state.gradEnabled ? "on" : "off"));
    for (const aot::AmbientAutocast& autocast : subject.request.request.state.autocasts) {
        lines.push_back("autocast to " + std::string(ir::dtypeShortName(autocast.dtype)) + " on " +
                        autocast.device + " around the call");
    }
    for (const aot::StateFact& fact : aot::stateFacts(subject.request.request.state)) {
        if (!fact.isDefault && fact.name != "grad mode" && fact.name != "autocast") {
            lines.push_back(aot::stateLine(fact));
        }
    }
    const aot::CompileConfiguration& compiled = subject.request.function.configuration;
    std::ranges::move(aot::configurationLines(compiled.functorch, compiled.torch, aot::touches::all),
                      std::back_inserter(lines));
    const auto given = std::ranges::count_if(
        arguments.names(), [&](const std::string& name) { return options.inputs.contains(name); });
    lines.push_back(given == 0 ? "inputs made from metadata and seed" : "inputs as given, where they are");
    return lines;
}

} // namespace aotscope::torch
