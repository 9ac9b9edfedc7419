#include "session/shared_backend.h"

#include "base/log.h"

namespace aotscope::session {

bool SharedBackend::Turn::tryTake() {
    const std::lock_guard lock(m_backend.m_mutex);
    m_isHeld = !std::exchange(m_backend.m_taken, true);
    return m_isHeld;
}

bool SharedBackend::Turn::take(const std::stop_token& stop) {
    std::unique_lock lock(m_backend.m_mutex);
    m_isHeld = m_backend.m_free.wait(lock, stop, [this] { return !m_backend.m_taken; });
    m_backend.m_taken = m_backend.m_taken || m_isHeld;
    return m_isHeld;
}

void SharedBackend::Turn::give() {
    if (m_isHeld) {
        const std::lock_guard lock(m_backend.m_mutex);
        m_backend.m_taken = false;
        m_isHeld = false;
    }
    m_backend.m_free.notify_all();
}

base::Result<Backend*> SharedBackend::open(const Turn& turn, base::Progress& progress) {
    if (!turn.isHeld()) {
        return base::canceledError();
    }
    progress.report("Opening LibTorch", 0, 0);
    if (!m_backend) {
        if (!m_factory) {
            return base::Error{.code = "session.no_backend",
                               .message = "This program was built without LibTorch, so it cannot run graphs.",
                               .hint = "Build it with -DAOTSCOPE_TORCH=ON."};
        }
        AOTSCOPE_TRY(opened, m_factory());
        m_backend = std::move(opened);
        base::logInfo("aotscope.session", "backend: " + m_backend->description());
    }
    return m_backend.get();
}

} // namespace aotscope::session
