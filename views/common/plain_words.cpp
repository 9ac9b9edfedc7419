#include "common/plain_words.h"

#include <QTextDocument>

namespace aotscope::views {

QString plainToolTip(const QString& words) {
    return Qt::mightBeRichText(words)
               ? QStringLiteral("<span style='white-space:pre-wrap'>%1</span>").arg(words.toHtmlEscaped())
               : words;
}

} // namespace aotscope::views
