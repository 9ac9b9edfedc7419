#pragma once

#include "common/background.h"

#include <QObject>

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

namespace aotscope::views {

/// Asks one question after the other, each about immutable values, and hears only the answer to the last: at
/// once where it is found in a moment, else from beside the window's thread. A member of the object that it
/// answers to: what is still looked for when that goes is told to nobody.
class LatestAnswer {
public:
    /// `amount` of rows are looked at.
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
    /// Whether an answer is still to come.
    [[nodiscard]] bool isAwaited() const { return m_awaiting != nullptr; }
    /// No answer to what was asked is wanted any more.
    void forget() { m_awaiting.reset(); }

private:
    /// Lives as long as the last question is asked: who is told its answer.
    std::unique_ptr<QObject> m_awaiting;
};

} // namespace aotscope::views
