#include "wrappers/call_structure.h"

#include "dispatch/dtypes.h"
#include "run/metadata_check.h"
#include "run/value_access.h"
#include "wrappers/value_states.h"

#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <utility>

namespace aotscope::torch {

using c10::IValue;

namespace {

/// The value of a caller at that place, arguments first.
const at::Tensor& visibleTensor(const CallerSide& side, std::size_t index) {
    const std::size_t arguments = side.arguments.values.size();
    return (index < arguments ? side.arguments.values[index] : side.outputs.at(index - arguments)).toTensor();
}

} // namespace

std::vector<std::pair<std::string, IValue>> seenValues(const CallerSide& side,
                                                       const std::vector<std::string>& names) {
    std::vector<std::pair<std::string, IValue>> seen;
    for (std::size_t i = 0; i < side.outputs.size(); ++i) {
        seen.emplace_back("output " + std::to_string(i), side.outputs[i]);
    }
    for (std::size_t i = 0; i < side.arguments.values.size(); ++i) {
        seen.emplace_back(names.at(i) + " after the call", side.arguments.values[i]);
    }
    for (const CallerLeaf& leaf : side.arguments.leaves) {
        seen.emplace_back("gradient of " + leaf.name, leaf.tensor.grad());
    }
    return seen;
}

namespace {

/// The values a caller sees, in one list: arguments, then outputs. The side must outlive it.
class VisibleValues {
public:
    VisibleValues(const CallerSide& side)
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

} // namespace

void StructureDifferences::compare(const std::string& what, const std::string& compiled,
                                   const std::string& eager) {
    if (compiled != eager) {
        m_text += (m_text.empty() ? "" : "; ") + what + ": compiled " +
                  (compiled.empty() ? "none" : compiled) + ", eager " + (eager.empty() ? "none" : eager);
    }
}

void StructureDifferences::compare(const std::string& what, bool compiled, bool eager) {
    compare(what, std::string(compiled ? "yes" : "no"), std::string(eager ? "yes" : "no"));
}

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

void compareShapes(const at::Tensor& compiled, const at::Tensor& eager, StructureDifferences& differences) {
    differences.compare("dtype", dtypeText(compiled.scalar_type()), dtypeText(eager.scalar_type()));
    differences.compare("sizes", sizesText(compiled.sizes()), sizesText(eager.sizes()));
    if (compiled.layout() == c10::kStrided && eager.layout() == c10::kStrided &&
        compiled.sizes() == eager.sizes() && !hasStrides(compiled, eager.strides())) {
        differences.compare("strides", sizesText(compiled.strides()), sizesText(eager.strides()));
    }
}

} // namespace aotscope::torch
