#pragma once

#include "common/background.h"

#include <QObject>

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

namespace aotscope::views {

/// Asks a sequence of questions about immutable values and receives only the answer to the last one,
/// immediately if that is fast, else from a background thread. Make it a member of the receiver: answers that
/// arrive after its destruction are dropped.
class LatestAnswer {
public:
    /// `amount`: the number of rows to be examined, which decides whether a background thread is used.
    template<typename T>
    void ask(std::size_t amount, std::function<T()> find, std::function<void(const T&)> answer) {
        forget();
        constexpr std::size_t few = 2'000;
        if (amount <= few) {
            answer(find());
            return;
        }
        m_awaiting = std::make_unique<QObject>();
        runInBackground<T>(m_awaiting.get(), std::move(find),
                           [this, answer = std::move(answer)](const T& found) {
                               forget();
                               answer(found);
                           });
    }
    /// Whether an answer is still outstanding.
    [[nodiscard]] bool isAwaited() const { return m_awaiting != nullptr; }
    /// Drops the outstanding answer.
    void forget() { m_awaiting.reset(); }

private:
    /// The receiver for the last question; destroying it drops the answer.
    std::unique_ptr<QObject> m_awaiting;
};

} // namespace aotscope::views
