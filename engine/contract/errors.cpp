#include "contract/errors.h"

#include <string>

namespace aotscope::session {

base::Error noSuchLog(std::uint32_t log) {
    return {.code = "session.no_such_log",
            .message = "There is no open log with number " + std::to_string(log) + "."};
}

base::Error outOfMemory() {
    return {.code = "session.out_of_memory",
            .message = "There is not enough memory for this.",
            .hint = "Close other logs, or choose a smaller graph."};
}

} // namespace aotscope::session
