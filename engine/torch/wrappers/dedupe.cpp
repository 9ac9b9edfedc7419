#include "wrappers/dedupe.h"

#include "base/mapped.h"
#include "dispatch/failure.h"

namespace aotscope::torch {

DedupeCall::DedupeCall(const aot::AOTDedupeWrapper& wrapper, std::vector<std::string> names,
                       BoxedCallPtr inner)
    : m_names(std::move(names)), m_inner(std::move(inner)) {
    for (std::size_t i = 0; i < wrapper.keepArgMask.size(); ++i) {
        if (wrapper.keepArgMask[i]) {
            m_kept.push_back(i);
        }
    }
    m_standsFor = base::mapped(wrapper.addDupeMap, [&](const std::size_t kept) { return m_kept.at(kept); });
}

Values DedupeCall::call(Values& arguments) {
    if (arguments.size() != m_standsFor.size()) {
        fail("call.arguments", "The function takes " + std::to_string(m_standsFor.size()) +
                                   " arguments and is called with " + std::to_string(arguments.size()) + ".");
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (!arguments[i].is(arguments[m_standsFor[i]])) {
            fail("call.guard",
                 "At compile time " + m_names.at(i) + " was the same tensor as " +
                     m_names.at(m_standsFor[i]) + ", and in this call it is another one.",
                 "PyTorch asserts the same: compile again for these arguments.");
        }
    }
    auto kept = base::mapped(m_kept, [&](const std::size_t index) { return std::move(arguments[index]); });
    arguments.clear();
    return m_inner->call(kept);
}

} // namespace aotscope::torch
