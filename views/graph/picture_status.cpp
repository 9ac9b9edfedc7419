#include "graph/picture_status.h"

#include "common/format.h"
#include "common/plain_words.h"
#include "style/ink.h"

namespace aotscope::views {

namespace {

/// "120 nodes in 40 boxes"
QString sizeOf(const session::LayoutSnapshot& picture) {
    QString size = formatCount(picture.graph->graph->size(), "node", "nodes");
    if (picture.layout->boxes.size() != picture.graph->graph->size()) {
        size += QObject::tr(" in %1 boxes").arg(formatCount(picture.layout->boxes.size()));
    }
    if (!picture.layout->note.empty()) {
        size += QStringLiteral(" · ") + text(picture.layout->engine);
    }
    return size;
}

/// How it was laid out, and why not otherwise.
QString wayOf(const layout::Layout& layout) {
    const QString way = QObject::tr("Layout: %1").arg(text(layout.engine));
    return layout.note.empty() ? way : way + QLatin1Char('\n') + text(layout.note);
}

} // namespace

PictureStatus::PictureStatus(QWidget* parent) : QLabel(parent) {
    setTextFormat(Qt::PlainText);
    setWords(this, Words::Dim);
}

void PictureStatus::showPicture(const session::LayoutSnapshotPtr& picture) {
    setText(picture ? sizeOf(*picture) : QString());
    setToolTip(picture ? plainToolTip(wayOf(*picture->layout)) : QString());
}

void PictureStatus::say(const QString& message) {
    setText(message);
    setToolTip(QString());
}

} // namespace aotscope::views
