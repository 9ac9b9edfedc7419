#include "window/welcome_page.h"

#include "common/plain_words.h"
#include "common/theme.h"
#include "style/ink.h"
#include "window/recent_files.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyleOptionButton>
#include <QStylePainter>
#include <QVBoxLayout>

#include <algorithm>

namespace aotscope::views {

namespace {

/// A list row: left-aligned text, with a box around it under the mouse.
class PathButton : public QPushButton {
public:
    explicit PathButton(const QString& words) : QPushButton(words) { setFlat(true); }

protected:
    void paintEvent(QPaintEvent*) override {
        QStyleOptionButton option;
        initStyleOption(&option);
        QStylePainter painter(this);
        painter.drawControl(QStyle::CE_PushButtonBevel, option);
        constexpr int margin = 8;
        painter.drawItemText(rect().adjusted(margin, 0, -margin, 0), Qt::AlignLeft | Qt::AlignVCenter,
                             option.palette, isEnabled(), option.text, QPalette::ButtonText);
    }
};

} // namespace

WelcomePage::WelcomePage(RecentFiles* recent, const ThemeSource*, QWidget* parent)
    : QWidget(parent), m_recent(recent), m_list(new QVBoxLayout) {
    auto* outer = new QHBoxLayout(this);
    outer->addStretch(1);
    auto* column = new QVBoxLayout;
    outer->addLayout(column, 2);
    outer->addStretch(1);
    column->setSpacing(8);
    column->addStretch(1);

    auto* title = plainLabel(QStringLiteral("aotscope"));
    QFont big = font();
    big.setPointSizeF(big.pointSizeF() * 2);
    big.setBold(true);
    title->setFont(big);
    column->addWidget(title);
    auto* what =
        plainLabel(tr("Shows what PyTorch's compiler did: the joint, forward and backward graph of every "
                      "compile, as pictures and as text."));
    what->setWordWrap(true);
    column->addWidget(what);
    auto* how =
        new QLabel(tr("Run your program with <code>TORCH_TRACE=folder</code> set, then open the folder or a "
                      "<code>.log</code> in it (plain, .gz or .xz). Graph text and graph JSON open too."));
    how->setTextFormat(Qt::RichText);
    how->setWordWrap(true);
    setWords(how, Words::Dim);
    column->addWidget(how);
    column->addSpacing(8);

    auto* buttons = new QHBoxLayout;
    auto* file = new QPushButton(tr("Open log…"));
    file->setToolTip(tr("Open trace logs or graph files (Ctrl+O)"));
    auto* folder = new QPushButton(tr("Open folder…"));
    folder->setToolTip(tr("Open a folder with one log per rank (Ctrl+Shift+O)"));
    auto* drop = plainLabel(tr("or drop files here"));
    setWords(drop, Words::Dim);
    buttons->addWidget(file);
    buttons->addWidget(folder);
    buttons->addWidget(drop);
    buttons->addStretch(1);
    column->addLayout(buttons);
    column->addSpacing(16);
    m_list->setSpacing(2);
    column->addLayout(m_list);
    column->addStretch(2);

    connect(file, &QPushButton::clicked, this, &WelcomePage::openFile);
    connect(folder, &QPushButton::clicked, this, &WelcomePage::openFolder);
    connect(recent, &RecentFiles::changed, this, &WelcomePage::fillRecent);
    fillRecent();
}

void WelcomePage::fillRecent() {
    while (QLayoutItem* item = m_list->takeAt(0)) {
        if (QWidget* widget = item->widget()) {
            widget->hide();
            widget->deleteLater();
        }
        delete item;
    }
    if (m_recent->paths().isEmpty()) {
        return;
    }
    auto* heading = plainLabel(tr("Recently opened"));
    setWords(heading, Words::Title);
    m_list->addWidget(heading);
    for (const QString& path : m_recent->paths()) {
        const QFileInfo info(path);
        // The whole file name, and as much of the folder's start and end as fits.
        constexpr int widest = 600;
        const QString name = info.fileName() + QStringLiteral("   ");
        const int left = std::max(0, widest - fontMetrics().horizontalAdvance(name));
        auto* button = new PathButton(name + fontMetrics().elidedText(info.path(), Qt::ElideMiddle, left));
        button->setToolTip(plainToolTip(path));
        button->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
        connect(button, &QPushButton::clicked, this, [this, path] { Q_EMIT openPath(path); });
        m_list->addWidget(button);
    }
}

} // namespace aotscope::views
