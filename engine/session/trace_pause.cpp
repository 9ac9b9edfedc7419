#include "session/trace_pause.h"

namespace aotscope::session {

std::string_view tracePhaseName(TracePhase phase) {
    constexpr std::string_view names[] = {"metadata", "forward", "backward"};
    return names[static_cast<std::size_t>(phase)];
}

} // namespace aotscope::session
