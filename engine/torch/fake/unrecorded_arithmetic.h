#pragma once

#include "fake/shape_environment.h"

#include <utility>

namespace aotscope::torch {

/// While it lives, arithmetic on symbols is not recorded: shapes are being computed, and the program does not
/// see it.
class UnrecordedArithmetic {
public:
    explicit UnrecordedArithmetic(ShapeEnvironment& environment)
        : m_environment(environment), m_before(std::exchange(environment.recordsArithmetic, false)) {}
    ~UnrecordedArithmetic() { m_environment.recordsArithmetic = m_before; }
    UnrecordedArithmetic(const UnrecordedArithmetic&) = delete;
    UnrecordedArithmetic& operator=(const UnrecordedArithmetic&) = delete;

private:
    ShapeEnvironment& m_environment;
    bool m_before;
};

} // namespace aotscope::torch
