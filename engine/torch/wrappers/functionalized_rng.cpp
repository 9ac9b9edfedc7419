#include "wrappers/functionalized_rng.h"

#include "dispatch/failure.h"

#include <ATen/ops/scalar_tensor.h>

namespace aotscope::torch {

Values FunctionalizedRngCall::call(Values& arguments) {
    const auto [seed, offset] = m_generator.seedAndOffset();
    const auto number = [](std::int64_t value) {
        return at::scalar_tensor(value, at::TensorOptions(at::kLong));
    };
    arguments.emplace_back(number(seed));
    arguments.emplace_back(number(offset));
    Values results = m_inner->call(arguments);
    if (m_wrapper.offsetIndex >= results.size()) {
        fail("call.results", "The graph does not return the random generator's new offset.");
    }
    m_generator.setOffset(results[m_wrapper.offsetIndex].toTensor().item().toLong());
    if (m_wrapper.returnNewOuts) {
        results.erase(results.begin() + static_cast<std::ptrdiff_t>(m_wrapper.offsetIndex));
    }
    return results;
}

} // namespace aotscope::torch
