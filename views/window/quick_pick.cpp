#include "window/quick_pick.h"

#include "common/background.h"
#include "common/format.h"
#include "common/plain_words.h"
#include "common/theme.h"
#include "style/ink.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace aotscope::views {

namespace {

constexpr std::size_t mostShown = 200;
constexpr int detailRole = Qt::UserRole;

/// Draws the title at the left and the detail, dimmed, at the right.
class PickDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const bool selected = option.state & QStyle::State_Selected;
        const QPalette& palette = option.palette;
        if (selected) {
            painter->fillRect(option.rect, palette.color(QPalette::Highlight));
        }
        const QRect inner = option.rect.adjusted(12, 0, -12, 0);
        const QString detail = index.data(detailRole).toString();
        const int most = inner.width() / 2;
        const QString shownDetail = option.fontMetrics.elidedText(detail, Qt::ElideLeft, most);
        const int detailWidth = option.fontMetrics.horizontalAdvance(shownDetail);
        QColor dim = palette.color(QPalette::Text);
        dim.setAlphaF(0.7F);
        painter->setPen(dim);
        painter->drawText(inner, Qt::AlignRight | Qt::AlignVCenter, shownDetail);
        painter->setPen(palette.color(QPalette::Text));
        const QString title = option.fontMetrics.elidedText(index.data().toString(), Qt::ElideRight,
                                                            inner.width() - detailWidth - 16);
        painter->drawText(inner, Qt::AlignLeft | Qt::AlignVCenter, title);
    }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override {
        return {100, option.fontMetrics.height() + 10};
    }
};

} // namespace

int fuzzyScore(QStringView wanted, QStringView candidate) {
    int score = 0;
    qsizetype at = 0;
    qsizetype previous = -2;
    for (const QChar c : wanted) {
        if (c.isSpace()) {
            continue;
        }
        while (at < candidate.size() && candidate[at].toLower() != c) {
            ++at;
        }
        if (at == candidate.size()) {
            return -1;
        }
        const bool wordStart = at == 0 || !candidate[at - 1].isLetterOrNumber() ||
                               (candidate[at].isUpper() && candidate[at - 1].isLower());
        score += at == previous + 1 ? 8 : 1;
        score += wordStart ? 6 : 0;
        previous = at++;
    }
    // Among equal scores the shorter name is the better match.
    return score * 64 + std::max(0, 63 - static_cast<int>(candidate.size()));
}

PickMatches bestMatches(const std::vector<PickItem>& items, const QString& wanted) {
    const QString lower = wanted.toLower();
    std::vector<std::pair<int, std::size_t>> scored;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const int score = lower.isEmpty() ? 0 : fuzzyScore(lower, items[i].title);
        if (score >= 0) {
            scored.emplace_back(-score, i);
        }
    }
    PickMatches matches{{}, scored.size()};
    const std::size_t shown = std::min(scored.size(), mostShown);
    std::partial_sort(scored.begin(), scored.begin() + static_cast<std::ptrdiff_t>(shown), scored.end());
    for (std::size_t i = 0; i < shown; ++i) {
        matches.places.push_back(scored[i].second);
    }
    return matches;
}

void PickModel::show(PickItems items, PickMatches matches) {
    beginResetModel();
    m_items = std::move(items);
    m_matches = std::move(matches);
    endResetModel();
}

int PickModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_matches.places.size());
}

QVariant PickModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) {
        return {};
    }
    const PickItem& item = itemAt(index.row());
    if (role == Qt::DisplayRole) {
        return item.title;
    }
    if (role == detailRole) {
        return item.detail;
    }
    return role == Qt::AccessibleTextRole ? QVariant(item.title + QLatin1Char(' ') + item.detail)
                                          : QVariant();
}

QuickPick::QuickPick(QWidget* window)
    : QFrame(window),
      m_input(new QLineEdit),
      m_list(new QListView),
      m_hint(plainLabel()),
      m_model(new PickModel(this)) {
    setObjectName(QStringLiteral("quickPick"));
    setFrameShape(QFrame::NoFrame);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(6);
    m_input->setAccessibleName(tr("What to go to"));
    m_input->setPlaceholderText(tr("Parts of a name"));
    setWords(m_hint, Words::Dim);
    m_list->setModel(m_model);
    m_list->setItemDelegate(new PickDelegate(m_list));
    m_list->setUniformItemSizes(true);
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    layout->addWidget(m_input);
    layout->addWidget(m_list, 1);
    layout->addWidget(m_hint);
    m_input->installEventFilter(this);
    window->installEventFilter(this);
    connect(m_input, &QLineEdit::textChanged, this, &QuickPick::filter);
    connect(m_list, &QListView::clicked, this, &QuickPick::pickCurrent);
    hide();
}

void QuickPick::open(const QString& text, Provider provider) {
    m_provider = std::move(provider);
    m_first = QChar(0xffff);
    m_pickFirst = false;
    const bool same = m_input->text() == text;
    m_input->setText(text);
    if (same) {
        filter();
    }
    place();
    show();
    raise();
    m_input->setFocus(Qt::PopupFocusReason);
}

void QuickPick::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Ink ink(palette());
    constexpr double radius = 6;
    paintBox(painter, rect(), ink.raised, ink.line, radius);
}

void QuickPick::place() {
    const QWidget* window = parentWidget();
    const int width = std::min(720, window->width() - 48);
    const int height = std::min(440, window->height() - 96);
    // The list covers the field that opens it.
    const auto* field = window->findChild<QWidget*>(QStringLiteral("goToField"));
    const int inner = layout()->contentsMargins().top();
    const int top = field != nullptr ? std::max(0, field->mapTo(window, QPoint()).y() - inner) : 40;
    setGeometry((window->width() - width) / 2, top, width, height);
}

void QuickPick::filter() {
    const QString typed = m_input->text();
    const QChar first = typed.isEmpty() ? QChar() : typed.front();
    static const QString marks = QStringLiteral(">@#");
    const QChar key = marks.contains(first) ? first : QChar();
    if (key != m_first) {
        m_first = key;
        takeOffer(m_provider(key));
    }
    match();
}

void QuickPick::takeOffer(Offer offer) {
    m_skip = offer.skip;
    m_hintText = offer.hint;
    m_items = std::make_shared<const std::vector<PickItem>>(std::move(offer.items));
    if (!offer.many) {
        return;
    }
    m_items = nullptr;
    runInBackground<PickItems>(
        this,
        [make = std::move(offer.many)] { return std::make_shared<const std::vector<PickItem>>(make()); },
        [this, question = ++m_offer](const PickItems& items) {
            if (question == m_offer && !m_items) {
                m_items = items;
                match();
            }
        });
}

void QuickPick::match() {
    const QString wanted = m_input->text().mid(m_skip).trimmed();
    ++m_question;
    m_matching = true;
    if (!m_items) {
        m_model->show(nullptr, {});
        m_hint->setText(tr("Looking …  ") + m_hintText);
        return;
    }
    constexpr std::size_t few = 3'000;
    if (m_items->size() <= few) {
        showMatches(bestMatches(*m_items, wanted));
        return;
    }
    runInBackground<PickMatches>(
        this, [items = m_items, wanted] { return bestMatches(*items, wanted); },
        [this, question = m_question](const PickMatches& matches) {
            if (question == m_question) {
                showMatches(matches);
            }
        });
}

void QuickPick::showMatches(PickMatches matches) {
    m_matching = false;
    m_model->show(m_items, std::move(matches));
    m_list->setCurrentIndex(m_model->index(0, 0));
    m_hint->setText(m_model->matchCount() == 0 ? tr("Nothing matches.  ") + m_hintText
                                               : formatCount(m_model->matchCount(), "match", "matches") +
                                                     QStringLiteral("   ") + m_hintText);
    if (std::exchange(m_pickFirst, false) && isVisible()) {
        pickCurrent();
    }
}

void QuickPick::pickCurrent() {
    if (m_matching) {
        m_pickFirst = true;
        return;
    }
    const QModelIndex current = m_list->currentIndex();
    hide();
    if (current.isValid()) {
        const auto pick = m_model->itemAt(current.row()).pick;
        if (pick) {
            pick();
        }
    }
}

bool QuickPick::eventFilter(QObject* watched, QEvent* event) {
    if (watched == parentWidget()) {
        if (event->type() == QEvent::Resize && isVisible()) {
            place();
        }
        return false;
    }
    if (event->type() == QEvent::FocusOut) {
        hide();
        return false;
    }
    if (event->type() != QEvent::KeyPress) {
        return false;
    }
    const auto* key = static_cast<QKeyEvent*>(event);
    const int row = m_list->currentIndex().row();
    const auto moveTo = [this](int target) {
        m_list->setCurrentIndex(
            m_model->index(std::clamp(target, 0, std::max(0, m_model->rowCount() - 1)), 0));
    };
    switch (key->key()) {
    case Qt::Key_Escape:
        hide();
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        pickCurrent();
        return true;
    case Qt::Key_Down:
        moveTo(row + 1);
        return true;
    case Qt::Key_Up:
        moveTo(row - 1);
        return true;
    case Qt::Key_PageDown:
        moveTo(row + 10);
        return true;
    case Qt::Key_PageUp:
        moveTo(row - 10);
        return true;
    default:
        return false;
    }
}

} // namespace aotscope::views
