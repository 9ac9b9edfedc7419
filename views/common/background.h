#pragma once

#include <QMetaObject>
#include <QPointer>
#include <QThreadPool>

#include <functional>
#include <memory>

namespace aotscope::views {

/// Computes `work` on a thread of the pool and hands its result to `done` on the window's thread, unless
/// `receiver` is gone by then. For pure functions of immutable values that take too long for one frame.
template<typename T>
void runInBackground(QObject* receiver, std::function<T()> work, std::function<void(const T&)> done) {
    // The pool's thread must not touch the receiver, which may go at any moment: the relay goes in its place.
    auto* relay = new QObject;
    const QPointer<QObject> guard(receiver);
    QThreadPool::globalInstance()->start([relay, guard, work = std::move(work), done = std::move(done)] {
        auto result = std::make_shared<const T>(work());
        QMetaObject::invokeMethod(
            relay,
            [relay, guard, result, done] {
                if (guard) {
                    done(*result);
                }
                relay->deleteLater();
            },
            Qt::QueuedConnection);
    });
}

} // namespace aotscope::views
