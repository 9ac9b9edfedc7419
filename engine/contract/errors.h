#pragma once

#include "base/result.h"

#include <cstdint>
#include <exception>
#include <string>
#include <type_traits>

/// Errors that more than one room returns.
namespace aotscope::session {

[[nodiscard]] base::Error noSuchLog(std::uint32_t log);
/// What ended with an exception: "The run". Errors: session.out_of_memory, session.exception.
[[nodiscard]] base::Error exceptionError(const std::string& what, const std::exception& exception);

/// What `work` gives; an exception becomes an error.
template<typename Work>
[[nodiscard]] std::invoke_result_t<Work> orExceptionError(const std::string& what, const Work& work) {
    try {
        return work();
    } catch (const std::exception& exception) {
        return exceptionError(what, exception);
    }
}

} // namespace aotscope::session
