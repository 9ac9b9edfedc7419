#include "contract/errors.h"

#include <new>

namespace aotscope::session {

base::Error noSuchLog(std::uint32_t log) {
    return {.code = "session.no_such_log",
            .message = "There is no open log with number " + std::to_string(log) + "."};
}

base::Error exceptionError(const std::string& what, const std::exception& exception) {
    if (dynamic_cast<const std::bad_alloc*>(&exception) != nullptr) {
        return {.code = "session.out_of_memory",
                .message = "There is not enough memory for this.",
                .hint = "Close other logs, or choose a smaller graph."};
    }
    return {.code = "session.exception",
            .message = what + " ended with an exception.",
            .notes = {exception.what()}};
}

} // namespace aotscope::session
