#pragma once

#include "common/background.h"

#include <QtGlobal>

#include <cstddef>
#include <functional>
#include <utility>

namespace aotscope::views {

/// Asks one question after the other, each about immutable values, and hears only the answer to the last: at
/// once where it is found in a moment, else from beside the window's thread. A member of the object that it
/// answers to.
class LatestAnswer {
public:
    /// `amount` of rows are looked at.
    template<typename T>
    void ask(QObject* receiver, std::size_t amount, std::function<T()> find,
             std::function<void(const T&)> answer) {
        const quint64 asked = ++m_asked;
        constexpr std::size_t few = 2'000;
        if (amount <= few) {
            m_answered = asked;
            answer(find());
            return;
        }
        runInBackground<T>(receiver, std::move(find),
                           [this, asked, answer = std::move(answer)](const T& found) {
                               if (asked == m_asked) {
                                   m_answered = asked;
                                   answer(found);
                               }
                           });
    }
    /// Whether an answer is still to come.
    [[nodiscard]] bool isAwaited() const { return m_asked != m_answered; }
    /// No answer to what was asked is wanted any more.
    void forget() { m_answered = ++m_asked; }

private:
    quint64 m_asked = 0;
    quint64 m_answered = 0;
};

} // namespace aotscope::views
