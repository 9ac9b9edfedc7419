#pragma once

#include "run/execution/operator_watch.h"

#include <ATen/core/Generator.h>

#include <cstdint>

namespace aotscope::torch {

/// Makes each operator round as another machine, another order of summation or another kernel might: floats
/// that it computes with are off by two roundings of their dtype, at random. Where a value is rounded to a
/// narrower dtype or to an integer, all elements are moved in one direction by 16 roundings of the largest,
/// down in runs with an odd number and up in the others, so that what lies beside a boundary falls on its
/// other side. What only moves values is left alone, and so are exact zeros.
///
/// The spread of several runs' results is how far apart two correct runs may be.
class RoundingNoise final : public OperatorWatch {
public:
    explicit RoundingNoise(std::uint64_t run);
    void call(const c10::OperatorHandle& op, c10::Stack& stack) override;

private:
    [[nodiscard]] at::Tensor rounded(const at::Tensor& tensor);
    [[nodiscard]] at::Tensor shifted(const at::Tensor& tensor) const;

    bool m_isUp;
    at::Generator m_generator;
};

} // namespace aotscope::torch
