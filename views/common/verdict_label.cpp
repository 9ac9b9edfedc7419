#include "common/verdict_label.h"

#include "common/plain_words.h"
#include "common/theme.h"
#include "style/ink.h"

#include <QClipboard>
#include <QFrame>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScreen>
#include <QVBoxLayout>

#include <algorithm>

namespace aotscope::views {
namespace {

constexpr int verdictPadding = 8;
/// Longer lines are on the page alone: a tooltip has to be read at once, and a line is measured at each
/// layout.
constexpr qsizetype longestShown = 400;

QString verdictWord(base::VerdictWord word) {
    const std::string_view name = base::wordOf(word);
    return QString::fromUtf8(name.data(), qsizetype(name.size()));
}

/// Wide enough for the longest line and high enough for all lines, within limits.
QSize pageTextSize(const QPlainTextEdit& text) {
    constexpr int narrowest = 320;
    constexpr int widest = 720;
    constexpr int highest = 420;
    const QFontMetrics metrics(text.font());
    int width = 0;
    int lines = 1;
    for (const QString& line : text.toPlainText().split(QLatin1Char('\n'))) {
        const int advance = metrics.horizontalAdvance(line);
        width = std::max(width, advance);
        lines += 1 + advance / widest;
    }
    return {std::clamp(width + 40, narrowest, widest),
            std::clamp(lines * metrics.lineSpacing() + 24, 60, highest)};
}

} // namespace

QString verdictSign(base::VerdictWord word) {
    switch (word) {
    case base::VerdictWord::Equal:
    case base::VerdictWord::EqualUpToNames:
        return QStringLiteral("✓");
    case base::VerdictWord::Differs:
        return QStringLiteral("✗");
    case base::VerdictWord::EqualUnderDefault:
    case base::VerdictWord::NotComparable:
        return QStringLiteral("?");
    case base::VerdictWord::NotSupported:
        break;
    }
    return QStringLiteral("⊘");
}

QColor verdictColor(base::VerdictWord word, const Theme& theme) {
    switch (word) {
    case base::VerdictWord::Equal:
    case base::VerdictWord::EqualUpToNames:
        return theme.good;
    case base::VerdictWord::Differs:
        return theme.bad;
    case base::VerdictWord::EqualUnderDefault:
    case base::VerdictWord::NotComparable:
    case base::VerdictWord::NotSupported:
        break;
    }
    return theme.warning;
}

VerdictLabel::VerdictLabel(const ThemeSource& theme, QWidget* parent)
    : QAbstractButton(parent), m_theme(theme) {
    setObjectName(QStringLiteral("verdict"));
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(&theme, &ThemeSource::changed, this, qOverload<>(&QWidget::update));
    connect(this, &QAbstractButton::clicked, this, &VerdictLabel::explain);
    hide();
}

void VerdictLabel::setVerdict(std::optional<base::Verdict> verdict, const QString& subject) {
    m_subject = subject;
    if (verdict == m_verdict) {
        return;
    }
    m_verdict = std::move(verdict);
    if (m_page) {
        m_page->close();
    }
    // No setText: an ampersand in a message of PyTorch's would become a key.
    const QString shown = line().left(longestShown);
    setAccessibleName(subject.isEmpty() ? shown : subject + QStringLiteral(": ") + shown);
    setToolTip(m_verdict
                   ? plainToolTip(shown + QLatin1Char('\n') +
                                  tr("Click: what was compared, under which configuration and tolerance, "
                                     "and what was not"))
                   : QString());
    setVisible(m_verdict.has_value());
    updateGeometry();
    update();
}

QString VerdictLabel::head() const {
    return m_verdict ? verdictSign(m_verdict->word) + QLatin1Char(' ') + verdictWord(m_verdict->word)
                     : QString();
}

QString VerdictLabel::line() const {
    return m_verdict && !m_verdict->reason.empty()
               ? head() + QStringLiteral(": ") + QString::fromStdString(m_verdict->reason)
               : head();
}

QString VerdictLabel::explanation() const {
    const QString said =
        m_verdict ? QString::fromStdString(base::explainedVerdict(*m_verdict)).trimmed() : QString();
    return m_subject.isEmpty() ? said : m_subject + QStringLiteral("\n") + said;
}

void VerdictLabel::explain() {
    if (!m_verdict) {
        return;
    }
    auto* page = new QFrame(this, Qt::Popup);
    page->setObjectName(QStringLiteral("verdictPage"));
    page->setAttribute(Qt::WA_DeleteOnClose);
    page->setFrameShape(QFrame::StyledPanel);
    page->setAccessibleName(tr("What is behind the verdict"));
    auto* title = new QLabel(m_subject.isEmpty() ? tr("Verdict") : m_subject);
    setWords(title, Words::Title);
    title->setTextFormat(Qt::PlainText);
    auto* copy = new QPushButton(tr("Copy"));
    copy->setObjectName(QStringLiteral("verdictCopy"));
    copy->setToolTip(tr("Copy all of it"));
    connect(copy, &QPushButton::clicked, page,
            [said = explanation()] { QGuiApplication::clipboard()->setText(said); });
    auto* text = new QPlainTextEdit(QString::fromStdString(base::explainedVerdict(*m_verdict)).trimmed());
    text->setObjectName(QStringLiteral("verdictText"));
    text->setReadOnly(true);
    text->setFont(codeFont());
    text->setFrameShape(QFrame::NoFrame);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    text->setFixedSize(pageTextSize(*text));
    auto* top = new QHBoxLayout;
    top->addWidget(title, 1);
    top->addWidget(copy);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(12, 8, 12, 12);
    column->setSpacing(8);
    column->addLayout(top);
    column->addWidget(text);
    page->adjustSize();
    // Below the line, or above it where the screen ends; never outside.
    const QRect screen = this->screen()->availableGeometry();
    QPoint at = mapToGlobal(QPoint(0, height() + 4));
    if (at.y() + page->height() > screen.bottom()) {
        at.setY(mapToGlobal(QPoint(0, -4)).y() - page->height());
    }
    at.setX(std::clamp(at.x(), screen.left(), std::max(screen.left(), screen.right() - page->width())));
    at.setY(std::max(at.y(), screen.top()));
    page->move(at);
    m_page = page;
    page->show();
    text->setFocus();
}

QFont VerdictLabel::headFont() const {
    QFont bold = font();
    bold.setBold(true);
    return bold;
}

QSize VerdictLabel::sizeHint() const {
    const int reason =
        m_verdict && !m_verdict->reason.empty()
            ? fontMetrics().horizontalAdvance(QStringLiteral(": ") +
                                              QString::fromStdString(m_verdict->reason).left(longestShown))
            : 0;
    return {QFontMetrics(headFont()).horizontalAdvance(head()) + reason + 2 * verdictPadding + 2,
            fontMetrics().height() + 8};
}

QSize VerdictLabel::minimumSizeHint() const {
    return {std::min(sizeHint().width(), 120), sizeHint().height()};
}

bool VerdictLabel::event(QEvent* event) {
    if (event->type() == QEvent::HoverEnter || event->type() == QEvent::HoverLeave) {
        update();
    }
    return QAbstractButton::event(event);
}

void VerdictLabel::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        click();
        return;
    }
    QAbstractButton::keyPressEvent(event);
}

void VerdictLabel::paintEvent(QPaintEvent*) {
    if (!m_verdict) {
        return;
    }
    const Theme& theme = m_theme.theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (underMouse() || hasFocus()) {
        paintBox(painter, QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5),
                 underMouse() ? theme.hover : QColor(), hasFocus() ? theme.accent : QColor());
    }
    const QRect inside = rect().adjusted(verdictPadding, 0, -verdictPadding, 0);
    const QFont bold = headFont();
    const QString start = QFontMetrics(bold).elidedText(head(), Qt::ElideRight, inside.width());
    painter.setFont(bold);
    painter.setPen(verdictColor(m_verdict->word, theme));
    painter.drawText(inside, Qt::AlignVCenter | Qt::AlignLeft, start);
    const int used = QFontMetrics(bold).horizontalAdvance(start);
    if (m_verdict->reason.empty() || used >= inside.width()) {
        return;
    }
    painter.setFont(font());
    painter.setPen(theme.text);
    const QString reason = QStringLiteral(": ") + QString::fromStdString(m_verdict->reason).simplified();
    painter.drawText(inside.adjusted(used, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft,
                     fontMetrics().elidedText(reason, Qt::ElideRight, inside.width() - used));
}

} // namespace aotscope::views
