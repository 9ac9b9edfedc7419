#pragma once

#include "fake/meta/shape_call.h"

#include <string>
#include <vector>

/// Shape kernels for DispatchKey::Meta that LibTorch lacks because PyTorch registers them from Python.
/// Follows torch 2.11, torch/_meta_registrations.py, and fake implementations and decompositions that serve
/// as shape functions.
namespace aotscope::torch {

/// Collects rules by operator name and registers them with the dispatcher.
class ShapeKernels {
public:
    /// Registers `rule` for "aten::name" or "aten::name.overload". It replaces a Meta kernel that is already
    /// there.
    void add(const std::string& name, ShapeRule rule);

    /// Gives the results of functional pointwise operators that have a Meta kernel, but no rule, the layout
    /// of PyTorch's reference operators; call it last. Shape and dtype still come from LibTorch's kernel.
    /// Follows torch 2.11, torch/_prims/__init__.py: _prim_elementwise_meta.
    void addPointwiseLayouts();

    /// The operators with a rule, sorted.
    [[nodiscard]] const std::vector<std::string>& names() const { return m_names; }
    /// Names that no operator of this LibTorch has: always a mistake of ours.
    [[nodiscard]] const std::vector<std::string>& unknown() const { return m_unknown; }

private:
    std::vector<std::string> m_names;
    std::vector<std::string> m_unknown;
    std::vector<c10::RegistrationHandleRAII> m_registrations;
};

/// Adds the rules of all operators (operators/columns.cpp).
void addShapeRules(ShapeKernels& kernels);

/// Registers every rule once for the process; later calls only return what was registered.
const ShapeKernels& installShapeKernels();

} // namespace aotscope::torch
