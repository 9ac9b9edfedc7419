#include "wrappers/dedupe.h"

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
    for (const std::size_t kept : wrapper.addDupeMap) {
        m_standsFor.push_back(m_kept.at(kept));
    }
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
    Values kept;
    kept.reserve(m_kept.size());
    for (const std::size_t index : m_kept) {
        kept.push_back(std::move(arguments[index]));
    }
    arguments.clear();
    return m_inner->call(kept);
}

} // namespace aotscope::torch
