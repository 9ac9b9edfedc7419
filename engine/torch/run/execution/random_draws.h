#pragma once

#include "run/execution/operator_watch.h"

#include <cstddef>
#include <string>
#include <vector>

namespace aotscope::torch {

/// What one operator drew.
struct RandomDraw {
    /// "bernoulli_", "rand"
    std::string op;
    at::Tensor result;
    /// What a dropout keeps, if the operator tells or the numbers were compared with its probability.
    at::Tensor mask = {};
};
using RandomDraws = std::vector<RandomDraw>;

/// Whether a call with these arguments draws numbers from a generator.
[[nodiscard]] bool drawsNumbers(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments);

/// Whether the same operators drew the same numbers.
[[nodiscard]] bool haveEqualNumbers(const RandomDraws& left, const RandomDraws& right);

/// Notes what is drawn, in order.
class DrawRecorder final : public OperatorWatch {
public:
    void call(const c10::OperatorHandle& op, c10::Stack& stack) override;
    RandomDraws draws;
};

/// Draws the same again, in that order. The operators may be others: a mask, for which a decomposed dropout
/// draws numbers and compares them, is drawn by `bernoulli_` in eager mode. Throws RunFailure (call.random)
/// when a draw does not match the recorded one. `draws` must outlive it.
class DrawAgain final : public OperatorWatch {
public:
    explicit DrawAgain(const RandomDraws& draws) : m_draws(draws) {}
    void call(const c10::OperatorHandle& op, c10::Stack& stack) override;
    /// The number of draws so far.
    [[nodiscard]] std::size_t count() const { return m_next; }

private:
    const RandomDraws& m_draws;
    std::size_t m_next = 0;
};

} // namespace aotscope::torch
