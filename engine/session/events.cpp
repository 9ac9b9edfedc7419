#include "session/events.h"

namespace aotscope::session {

EventBody::EventBody() = default;
EventBody::EventBody(const EventBody& other) = default;
EventBody::EventBody(EventBody&& other) noexcept = default;
EventBody& EventBody::operator=(const EventBody& other) = default;
EventBody& EventBody::operator=(EventBody&& other) noexcept = default;
EventBody::~EventBody() = default;

} // namespace aotscope::session
