#include "common/code_edit.h"

#include "common/plain_words.h"
#include "common/theme.h"

#include <QHelpEvent>
#include <QPainter>
#include <QSyntaxHighlighter>
#include <QTextBlock>
#include <QToolTip>

#include <algorithm>

namespace aotscope::views {

namespace {

class LineHighlighter : public QSyntaxHighlighter {
public:
    LineHighlighter(QTextDocument* document, const ThemeSource* theme, CodeLanguage language)
        : QSyntaxHighlighter(document), m_theme(theme), m_language(language) {
        connect(theme, &ThemeSource::changed, this, &QSyntaxHighlighter::rehighlight);
    }

protected:
    void highlightBlock(const QString& line) override {
        for (const CodeToken& token : highlightLine(line, m_language)) {
            setFormat(token.start, token.length, tokenColor(token.kind, m_theme->theme()));
        }
    }

private:
    const ThemeSource* m_theme;
    CodeLanguage m_language;
};

} // namespace

/// The line numbers.
class CodeEditGutter : public QWidget {
public:
    explicit CodeEditGutter(CodeEdit* editor) : QWidget(editor), m_editor(editor) {}

protected:
    void paintEvent(QPaintEvent* event) override { m_editor->paintGutter(event->rect()); }

private:
    CodeEdit* m_editor;
};

CodeEdit::CodeEdit(const ThemeSource* theme, CodeLanguage language, QWidget* parent)
    : QPlainTextEdit(parent), m_theme(theme), m_gutter(new CodeEditGutter(this)) {
    setFont(codeFont());
    setLineWrapMode(QPlainTextEdit::NoWrap);
    // Tab moves to the next field; the text is indented with spaces.
    setTabChangesFocus(true);
    new LineHighlighter(document(), theme, language);
    connect(this, &QPlainTextEdit::blockCountChanged, this, &CodeEdit::refreshGutter);
    connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect& part, int dy) {
        dy != 0 ? m_gutter->scroll(0, dy) : m_gutter->update(0, part.y(), m_gutter->width(), part.height());
    });
    connect(theme, &ThemeSource::changed, this, [this] {
        markLines();
        m_gutter->update();
    });
    refreshGutter();
}

int CodeEdit::gutterWidth() const {
    const auto digits = std::max<qsizetype>(2, QString::number(blockCount()).size());
    return 28 + fontMetrics().horizontalAdvance(QLatin1Char('0')) * static_cast<int>(digits);
}

void CodeEdit::refreshGutter() {
    setViewportMargins(gutterWidth(), 0, 0, 0);
    m_gutter->setGeometry(QRect(contentsRect().topLeft(), QSize(gutterWidth(), contentsRect().height())));
}

void CodeEdit::resizeEvent(QResizeEvent* event) {
    QPlainTextEdit::resizeEvent(event);
    refreshGutter();
}

void CodeEdit::focusOutEvent(QFocusEvent* event) {
    QPlainTextEdit::focusOutEvent(event);
    Q_EMIT left();
}

bool CodeEdit::event(QEvent* event) {
    if (event->type() == QEvent::FontChange) {
        refreshGutter();
    }
    return QPlainTextEdit::event(event);
}

void CodeEdit::setErrors(std::map<int, QString> errors) {
    if (m_errors != errors) {
        m_errors = std::move(errors);
        markLines();
        m_gutter->update();
    }
}

void CodeEdit::setRelatedLines(std::vector<int> lines) {
    if (m_relatedLines != lines) {
        m_relatedLines = std::move(lines);
        markLines();
    }
}

/// Shades the related lines, and those with errors.
void CodeEdit::markLines() {
    QList<QTextEdit::ExtraSelection> marks;
    const auto shade = [&](int line, const QColor& color) {
        const QTextBlock block = document()->findBlockByNumber(line - 1);
        if (block.isValid()) {
            QTextEdit::ExtraSelection mark;
            mark.format.setBackground(color);
            mark.format.setProperty(QTextFormat::FullWidthSelection, true);
            mark.cursor = QTextCursor(block);
            marks.append(mark);
        }
    };
    for (const int line : m_relatedLines) {
        shade(line, m_theme->theme().raised);
    }
    QColor wrong = m_theme->theme().bad;
    wrong.setAlphaF(0.22F);
    for (const auto& [line, message] : m_errors) {
        shade(line, wrong);
    }
    setExtraSelections(marks);
}

void CodeEdit::goToLine(int line) {
    const QTextBlock block = document()->findBlockByNumber(std::max(1, line) - 1);
    if (block.isValid()) {
        setTextCursor(QTextCursor(block));
        centerCursor();
    }
}

void CodeEdit::paintGutter(const QRect& part) {
    QPainter painter(m_gutter);
    const Theme& theme = m_theme->theme();
    painter.fillRect(part, theme.panel);
    painter.setFont(font());
    const int height = fontMetrics().height();
    QTextBlock block = firstVisibleBlock();
    double top = blockBoundingGeometry(block).translated(contentOffset()).top();
    for (; block.isValid() && top <= part.bottom(); block = block.next()) {
        const double bottom = top + blockBoundingRect(block).height();
        const int line = block.blockNumber() + 1;
        if (block.isVisible() && bottom >= part.top()) {
            const bool isWrong = m_errors.contains(line);
            painter.setPen(isWrong ? theme.bad : theme.dimText);
            painter.drawText(QRectF(0, top, m_gutter->width() - 10, height), Qt::AlignRight,
                             QString::number(line));
            if (isWrong) {
                painter.drawText(QRectF(4, top, 14, height), Qt::AlignLeft, QStringLiteral("✗"));
            }
        }
        top = bottom;
    }
}

bool CodeEdit::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const auto found = m_errors.find(cursorForPosition(help->pos()).blockNumber() + 1);
        QToolTip::showText(help->globalPos(),
                           found == m_errors.end() ? QString() : plainToolTip(found->second), this);
        return true;
    }
    return QPlainTextEdit::viewportEvent(event);
}

} // namespace aotscope::views
