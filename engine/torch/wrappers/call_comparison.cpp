#include "wrappers/call_comparison.h"

#include "dispatch/dtypes.h"
#include "wrappers/value_states.h"

#include <ATen/ops/isnan.h>
#include <ATen/ops/view_as_real.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace aotscope::torch {

namespace {

using c10::IValue;

double unitOf(c10::ScalarType type) {
    switch (c10::toRealValueType(type)) {
    case c10::ScalarType::Double:
        return 1e-10;
    case c10::ScalarType::Float:
        return 1e-5;
    case c10::ScalarType::Half:
        return 4e-3;
    case c10::ScalarType::BFloat16:
        return 3e-2;
    default:
        return c10::isFloatingType(type) ? 0.25 : 0;
    }
}

const at::Tensor* tensorIn(const IValue& value) {
    return value.isTensor() && value.toTensor().defined() ? &value.toTensor() : nullptr;
}

/// The values a caller sees, in one list: arguments, then outputs.
class Visible {
public:
    explicit Visible(const CallSide& side) : m_arguments(side.arguments.values.size()) {
        for (const IValue& value : side.arguments.values) {
            m_values.push_back(tensorIn(value));
        }
        for (const IValue& value : side.outputs) {
            m_values.push_back(tensorIn(value));
        }
    }

    /// "is argument 0", "shares memory with output 1 from byte 8, view of argument 0"; of the values before
    /// it.
    [[nodiscard]] std::string relation(std::size_t index) const {
        const at::Tensor* tensor = m_values[index];
        if (tensor == nullptr) {
            return {};
        }
        for (std::size_t i = 0; i < index; ++i) {
            if (m_values[i] != nullptr && m_values[i]->is_same(*tensor)) {
                return "is " + name(i);
            }
        }
        std::string text;
        if (tensor->has_storage() && tensor->storage().nbytes() > 0) {
            for (std::size_t i = 0; i < index && text.empty(); ++i) {
                if (m_values[i] != nullptr && m_values[i]->has_storage() &&
                    m_values[i]->is_alias_of(*tensor)) {
                    text = "shares memory with " + name(i) + ", " +
                           std::to_string(tensor->storage_offset() - m_values[i]->storage_offset()) +
                           " elements after its start";
                }
            }
        }
        const std::string base = visibleBase(index);
        return base.empty() ? text : text + (text.empty() ? "" : ", ") + base;
    }

private:
    [[nodiscard]] std::string name(std::size_t index) const {
        return index < m_arguments ? "argument " + std::to_string(index)
                                   : "output " + std::to_string(index - m_arguments);
    }
    /// The base of a view, if a caller can tell which one it is.
    [[nodiscard]] std::string visibleBase(std::size_t index) const {
        const at::Tensor* tensor = m_values[index];
        if (!tensor->is_view()) {
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
    std::vector<const at::Tensor*> m_values;
};

std::string sizesText(at::IntArrayRef sizes) {
    std::string text = "[";
    for (const std::int64_t size : sizes) {
        text += (text.size() > 1 ? ", " : "") + std::to_string(size);
    }
    return text + "]";
}

/// What differs, as "WHAT: compiled HERE, eager THERE".
class Differences {
public:
    template<typename T>
    void compare(const std::string& what, const T& compiled, const T& eager) {
        if (compiled != eager) {
            m_text += (m_text.empty() ? "" : "; ") + what + ": compiled " + text(compiled) + ", eager " +
                      text(eager);
        }
    }
    [[nodiscard]] std::string take() { return std::move(m_text); }

private:
    static std::string text(bool value) { return value ? "yes" : "no"; }
    static std::string text(const std::string& value) { return value.empty() ? "none" : value; }

    std::string m_text;
};

/// The tensor as plain doubles.
at::Tensor doubles(const at::Tensor& tensor) {
    at::Tensor plain = tensor.detach().resolve_conj().resolve_neg();
    if (plain.layout() != c10::kStrided) {
        plain = plain.to_dense();
    }
    if (plain.is_quantized()) {
        plain = plain.dequantize();
    }
    return (plain.is_complex() ? at::view_as_real(plain) : plain).to(at::kDouble);
}

/// Nothing for tensors without elements; infinite if NaNs or infinities lie elsewhere.
std::optional<double> relativeError(const at::Tensor& compiled, const at::Tensor& eager) {
    if (eager.numel() == 0) {
        return std::nullopt;
    }
    const at::Tensor left = doubles(compiled);
    const at::Tensor right = doubles(eager);
    const at::Tensor same = left.eq(right).logical_or(at::isnan(left).logical_and(at::isnan(right)));
    const double worst = at::where(same, at::zeros_like(left), left.sub(right).abs()).max().item().toDouble();
    if (worst == 0) {
        return 0.0;
    }
    const at::Tensor finite = right.abs().lt(std::numeric_limits<double>::infinity());
    const double largest = at::where(finite, right.abs(), at::zeros_like(right)).max().item().toDouble();
    return std::isfinite(worst) && largest > 0 ? worst / largest : std::numeric_limits<double>::infinity();
}

steps::ComparedValue compareTensors(std::string name, const at::Tensor& compiled, const at::Tensor& eager,
                                    Differences differences, const CallTolerance& tolerance) {
    steps::ComparedValue value;
    value.name = std::move(name);
    differences.compare("dtype", dtypeText(compiled.scalar_type()), dtypeText(eager.scalar_type()));
    differences.compare("sizes", sizesText(compiled.sizes()), sizesText(eager.sizes()));
    if (compiled.layout() == c10::kStrided && eager.layout() == c10::kStrided && eager.numel() > 1) {
        differences.compare("strides", sizesText(compiled.strides()), sizesText(eager.strides()));
    }
    if (compiled.sizes() == eager.sizes()) {
        value.relativeError = relativeError(compiled, eager);
    }
    value.structure = differences.take();
    value.agrees =
        value.structure.empty() && value.relativeError.value_or(0) <= tolerance.of(eager.scalar_type());
    return value;
}

steps::ComparedValue compareOther(std::string name, const IValue& compiled, const IValue& eager,
                                  const CallTolerance& tolerance) {
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
        const double apart = std::abs(number(compiled) - number(eager));
        value.relativeError = apart == 0 ? 0 : apart / std::max(std::abs(number(eager)), 1e-300);
        value.agrees = *value.relativeError <= (eager.isDouble() ? tolerance.of(c10::kDouble) : 0);
    } else if (!(isNone(compiled) && isNone(eager)) && compiled.tagKind() != eager.tagKind()) {
        value.structure = "compiled " + compiled.tagKind() + ", eager " + eager.tagKind();
        value.agrees = false;
    }
    return value;
}

} // namespace

CallTolerance::CallTolerance(const ir::Graph& graph) {
    for (const ir::NodeId id : graph.order()) {
        const ir::TensorMeta* meta = ir::asTensor(graph.node(id).value);
        const auto type = meta == nullptr ? std::nullopt : scalarType(meta->dtype);
        if (type && (c10::isFloatingType(*type) || c10::isComplexType(*type))) {
            m_ofGraph = std::max(m_ofGraph, unitOf(*type));
        }
    }
}

double CallTolerance::of(c10::ScalarType type) const {
    return c10::isFloatingType(type) || c10::isComplexType(type) ? std::max(m_ofGraph, unitOf(type)) : 0;
}

std::vector<ArgumentBefore> argumentsBefore(const Values& values) {
    std::vector<ArgumentBefore> before;
    for (const IValue& value : values) {
        const at::Tensor* tensor = tensorIn(value);
        before.push_back(tensor == nullptr ? ArgumentBefore()
                                           : ArgumentBefore{static_cast<std::uint32_t>(tensor->_version()),
                                                            contentsOf(*tensor)});
    }
    return before;
}

std::vector<steps::ComparedValue> compareSides(const CallSide& compiled, const CallSide& eager,
                                               const std::vector<std::string>& names,
                                               const CallTolerance& tolerance) {
    const c10::AutoGradMode noGrad(false);
    std::vector<steps::ComparedValue> values;
    const Visible ours(compiled);
    const Visible theirs(eager);
    const std::size_t arguments = compiled.arguments.values.size();
    const auto add = [&](const std::string& name, const IValue& left, const IValue& right, std::size_t index,
                         std::optional<std::size_t> argument) {
        const at::Tensor* made = tensorIn(left);
        const at::Tensor* expected = tensorIn(right);
        if (made == nullptr || expected == nullptr) {
            values.push_back(compareOther(name, left, right, tolerance));
            return;
        }
        Differences differences;
        differences.compare("aliasing", ours.relation(index), theirs.relation(index));
        differences.compare("requires_grad", made->requires_grad(), expected->requires_grad());
        differences.compare("grad_fn", !gradFnName(*made).empty(), !gradFnName(*expected).empty());
        if (argument) {
            const ArgumentBefore& before = eager.before[*argument];
            const bool isCounted = static_cast<std::uint32_t>(expected->_version()) != before.version;
            const bool isWritten =
                static_cast<std::uint32_t>(made->_version()) != compiled.before[*argument].version;
            if (isCounted || contentsOf(*expected) == before.contents) {
                differences.compare("written to", isWritten, isCounted);
            }
        }
        values.push_back(compareTensors(name, *made, *expected, std::move(differences), tolerance));
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
        add("output " + std::to_string(i), compiled.outputs[i], eager.outputs[i], arguments + i,
            std::nullopt);
    }
    for (std::size_t i = 0; i < arguments; ++i) {
        add(names.at(i) + " after the call", compiled.arguments.values[i], eager.arguments.values[i], i, i);
    }
    for (std::size_t i = 0; i < compiled.arguments.leaves.size(); ++i) {
        const at::Tensor& left = compiled.arguments.leaves[i].tensor.grad();
        const at::Tensor& right = eager.arguments.leaves[i].tensor.grad();
        const std::string name = "gradient of " + compiled.arguments.leaves[i].name;
        if (left.defined() && right.defined()) {
            values.push_back(compareTensors(name, left, right, {}, tolerance));
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
