#include "wrappers/effect_tokens.h"

#include "dispatch/failure.h"

#include <iterator>

namespace aotscope::torch {

Values EffectTokensCall::call(Values& arguments) {
    Values withTokens(m_tokens);
    withTokens.reserve(m_tokens + arguments.size());
    std::move(arguments.begin(), arguments.end(), std::back_inserter(withTokens));
    arguments.clear();
    Values results = m_inner->call(withTokens);
    if (results.size() < m_tokens) {
        fail("call.results", "The graph returns " + std::to_string(results.size()) +
                                 " values, fewer than its " + std::to_string(m_tokens) + " effect tokens.");
    }
    results.erase(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(m_tokens));
    return results;
}

} // namespace aotscope::torch
