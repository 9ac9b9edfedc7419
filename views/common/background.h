#pragma once

#include <QObject>
#include <QPointer>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

namespace aotscope::views {

/// Kinds of background work. Each kind has separate threads, so that none delays another. Within a lane work
/// starts in the order of the calls.
enum class Lane : std::uint8_t {
    /// Work that a person waits to see: scenes, filtered and sorted rows, texts.
    Showing,
    /// Writing files, which may take minutes.
    Files,
    /// Checking whether followed files have grown.
    Following,
    /// Reading every graph of a log, which may take minutes.
    Reading
};

/// Runs `work` on a background thread. The threads and their queue are our own, not Qt's, so that the thread
/// sanitizer sees every hand-over. At the application's end, work that has not started is dropped and work
/// that has is waited for, so long work needs a stop token.
void startInBackground(std::function<void()> work, Lane lane = Lane::Showing);

/// Passes one result to the window's thread. Qt's queue carries only the wake-up; the result is behind a
/// lock. Create it on the window's thread; it deletes itself after delivery.
class BackgroundRelay : public QObject {
public:
    explicit BackgroundRelay(QObject* receiver) : m_receiver(receiver) {}

    /// Call once, from any thread. `done` is called on the window's thread unless the receiver was destroyed.
    void deliver(std::function<void()> done);

protected:
    void customEvent(QEvent* event) override;

private:
    QPointer<QObject> m_receiver;
    std::mutex m_mutex;
    std::function<void()> m_done;
};

/// Computes `work` in the background and passes its result to `done` on the window's thread, unless
/// `receiver` was destroyed. For pure functions of immutable values that would take longer than a frame.
template<typename T>
void runInBackground(QObject* receiver, std::function<T()> work, std::function<void(const T&)> done,
                     Lane lane = Lane::Showing) {
    auto* relay = new BackgroundRelay(receiver);
    startInBackground(
        [relay, work = std::move(work), done = std::move(done)] {
            auto result = std::make_shared<const T>(work());
            relay->deliver([result, done] { done(*result); });
        },
        lane);
}

} // namespace aotscope::views
