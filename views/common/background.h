#pragma once

#include <QObject>
#include <QPointer>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

namespace aotscope::views {

/// What is done beside the window's thread, each kind on threads of its own, so that none holds up another:
/// in a lane work begins in the order in which it was given.
enum class Lane : std::uint8_t {
    /// What a person waits to see: scenes, rows that are filtered and sorted, texts.
    Showing,
    /// Files that are written, which may take minutes.
    Files,
    /// A look at files that may have grown.
    Following
};

/// Runs `work` on a thread beside the window's. The threads are our own and what they are given goes through
/// a lock of ours, so that the thread sanitizer sees every hand-over. Work still waiting when the program
/// ends is dropped.
void startInBackground(std::function<void()> work, Lane lane = Lane::Showing);

/// Carries one result back to the window's thread: Qt's queue brings only the wake-up, the result waits
/// behind a lock. Made on the window's thread, deletes itself after the delivery.
class BackgroundRelay : public QObject {
public:
    explicit BackgroundRelay(QObject* receiver) : m_receiver(receiver) {}

    /// From any thread, once: `done` is called on the window's thread unless the receiver is gone by then.
    void deliver(std::function<void()> done);

protected:
    void customEvent(QEvent* event) override;

private:
    QPointer<QObject> m_receiver;
    std::mutex m_mutex;
    std::function<void()> m_done;
};

/// Computes `work` in the background and hands its result to `done` on the window's thread, unless `receiver`
/// is gone by then. For pure functions of immutable values that take too long for one frame.
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
