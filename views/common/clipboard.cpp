#include "common/clipboard.h"

#include "common/background.h"
#include "common/code_text.h"

#include <QClipboard>
#include <QGuiApplication>

#include <utility>

namespace aotscope::views {

void copyToClipboard(QObject* receiver, std::shared_ptr<const void> owner, std::string_view text) {
    constexpr std::size_t little = 256U << 10U;
    if (text.size() <= little) {
        QGuiApplication::clipboard()->setText(wordsOf(text));
        return;
    }
    runInBackground<QString>(
        receiver, [owner = std::move(owner), text] { return wordsOf(text); },
        [](const QString& words) { QGuiApplication::clipboard()->setText(words); });
}

} // namespace aotscope::views
