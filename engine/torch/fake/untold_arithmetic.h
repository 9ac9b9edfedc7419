#pragma once

#include "fake/shape_environment.h"

#include <utility>

namespace aotscope::torch {

/// While it lives, arithmetic on symbols is that of shapes and nobody's program: it is not told to the
/// recording.
class UntoldArithmetic {
public:
    explicit UntoldArithmetic(ShapeEnvironment& environment)
        : m_environment(environment), m_before(std::exchange(environment.tellComputed, false)) {}
    ~UntoldArithmetic() { m_environment.tellComputed = m_before; }
    UntoldArithmetic(const UntoldArithmetic&) = delete;
    UntoldArithmetic& operator=(const UntoldArithmetic&) = delete;

private:
    ShapeEnvironment& m_environment;
    bool m_before;
};

} // namespace aotscope::torch
