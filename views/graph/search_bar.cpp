#include "graph/search_bar.h"

#include "common/format.h"
#include "common/plain_words.h"
#include "common/theme.h"
#include "graph/graph_search.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

namespace aotscope::views {

SearchBar::SearchBar(GraphSearch* search, const ThemeSource& theme, QWidget* parent)
    : QWidget(parent),
      m_search(search),
      m_theme(theme),
      m_input(new QLineEdit),
      m_state(plainLabel()),
      m_previous(new QToolButton),
      m_next(new QToolButton) {
    setObjectName(QStringLiteral("graphSearchBar"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 4, 8, 4);
    layout->setSpacing(4);
    m_input->setObjectName(QStringLiteral("graphSearchInput"));
    m_input->setPlaceholderText(tr("Regular expression over name, op, shape, module, source"));
    m_input->setAccessibleName(tr("Search in the graph"));
    m_input->setClearButtonEnabled(true);
    m_input->installEventFilter(this);
    m_state->setObjectName(QStringLiteral("graphSearchState"));
    m_previous->setText(QStringLiteral("↑"));
    m_previous->setToolTip(tr("Previous hit (Shift+Enter)"));
    m_next->setText(QStringLiteral("↓"));
    m_next->setToolTip(tr("Next hit (Enter)"));
    auto* closeButton = new QToolButton;
    closeButton->setText(QStringLiteral("✕"));
    closeButton->setToolTip(tr("Close the search (Esc)"));
    layout->addWidget(m_input, 1);
    layout->addWidget(m_state);
    layout->addWidget(m_previous);
    layout->addWidget(m_next);
    layout->addWidget(closeButton);
    connect(m_input, &QLineEdit::textChanged, this, [this](const QString& pattern) {
        m_position = -1;
        m_search->setPattern(pattern);
    });
    connect(m_previous, &QToolButton::clicked, this, [this] { Q_EMIT step(-1); });
    connect(m_next, &QToolButton::clicked, this, [this] { Q_EMIT step(1); });
    connect(closeButton, &QToolButton::clicked, this, &SearchBar::close);
    connect(search, &GraphSearch::changed, this, &SearchBar::refresh);
    connect(&theme, &ThemeSource::changed, this, &SearchBar::refresh);
    hide();
    refresh();
}

void SearchBar::open() {
    show();
    m_search->setPattern(m_input->text());
    m_input->setFocus(Qt::ShortcutFocusReason);
    m_input->selectAll();
}

void SearchBar::close() {
    hide();
    m_search->setPattern({});
    Q_EMIT closed();
}

void SearchBar::setPosition(int position) {
    m_position = position;
    refresh();
}

void SearchBar::refresh() {
    const std::size_t count = m_search->found().size();
    QString state;
    QColor color = m_theme.theme().dimText;
    if (!m_search->error().isEmpty()) {
        state = m_search->error();
        color = m_theme.theme().bad;
    } else if (!m_search->pattern().isEmpty()) {
        state = formatCount(count) + (m_search->isRunning() ? QStringLiteral("…") : QString());
        if (m_position >= 0 && std::size_t(m_position) < count) {
            state = tr("%1 of %2").arg(formatCount(quint64(m_position) + 1), state);
        } else if (count == 0 && !m_search->isRunning()) {
            state = tr("nothing found");
        }
    }
    QPalette palette = m_state->palette();
    palette.setColor(QPalette::WindowText, color);
    m_state->setPalette(palette);
    m_state->setText(state);
    m_previous->setEnabled(count > 0);
    m_next->setEnabled(count > 0);
}

bool SearchBar::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_input && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            Q_EMIT step(key->modifiers() & Qt::ShiftModifier ? -1 : 1);
            return true;
        }
        if (key->key() == Qt::Key_Escape) {
            close();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace aotscope::views
