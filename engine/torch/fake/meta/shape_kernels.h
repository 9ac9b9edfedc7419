#pragma once

#include "fake/meta/shape_call.h"

#include <initializer_list>
#include <string>
#include <vector>

/// Shape kernels for DispatchKey::Meta that LibTorch lacks, because PyTorch registers them from Python
/// (`torch/_meta_registrations.py`, fake implementations, decompositions used for shapes).
namespace aotscope::torch {

/// Collects rules by operator name and registers them with the dispatcher.
class ShapeKernels {
public:
    /// For each of "aten::name" or "aten::name.overload". The rule wins over a Meta kernel that is there
    /// already.
    void add(std::initializer_list<const char*> operators, ShapeRule rule);

    /// Gives the pointwise operators without a rule the layouts of PyTorch's reference operators; call it
    /// last.
    void addPointwiseLayouts();

    /// The operators with a rule, in the order they were added.
    [[nodiscard]] const std::vector<std::string>& names() const { return m_names; }
    /// Names that no operator of this LibTorch has: always a mistake of ours.
    [[nodiscard]] const std::vector<std::string>& unknown() const { return m_unknown; }

private:
    std::vector<std::string> m_names;
    std::vector<std::string> m_unknown;
    std::vector<c10::RegistrationHandleRAII> m_registrations;
};

/// Registers every rule once for the process; later calls only return what was registered.
const ShapeKernels& installShapeKernels();

} // namespace aotscope::torch
