#pragma once

#include <QAbstractListModel>
#include <QFrame>

#include <functional>
#include <memory>
#include <vector>

class QLabel;
class QLineEdit;
class QListView;

namespace aotscope::views {

/// An item that can be picked by typing parts of its name.
struct PickItem {
    QString title;
    /// Shown dimmed at the right: a key, a shape, a location.
    QString detail;
    std::function<void()> pick;
};

/// How well `wanted` (lower case) matches: all its letters must occur in order; word starts and runs score
/// higher. -1: no match.
[[nodiscard]] int fuzzyScore(QStringView wanted, QStringView candidate);

using PickItems = std::shared_ptr<const std::vector<PickItem>>;

/// The matching items, best first and at most some hundred, and the number of all matches.
struct PickMatches {
    std::vector<std::size_t> places;
    std::size_t count = 0;
};
[[nodiscard]] PickMatches bestMatches(const std::vector<PickItem>& items, const QString& wanted);

/// The items that match.
class PickModel : public QAbstractListModel {
    Q_OBJECT

public:
    using QAbstractListModel::QAbstractListModel;
    void show(PickItems items, PickMatches matches);
    [[nodiscard]] const PickItem& itemAt(int row) const {
        return (*m_items)[m_matches.places[static_cast<std::size_t>(row)]];
    }
    [[nodiscard]] std::size_t matchCount() const { return m_matches.count; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    PickItems m_items;
    PickMatches m_matches;
};

/// A list over the window, filtered by typing: the command palette and go-to-anything. The provider decides
/// what the first letter (`>`, `@`, `#`) means.
class QuickPick : public QFrame {
    Q_OBJECT

public:
    explicit QuickPick(QWidget* window);

    /// What the provider returns for the typed text: items, and the part of the text that filters them.
    /// Requested again only when the first character changes.
    struct Offer {
        std::vector<PickItem> items;
        /// For many items: creates them on another thread, from immutable values; filtering runs there too.
        /// Null: `items` has all.
        std::function<std::vector<PickItem>()> many = {};
        qsizetype skip = 0;
        QString hint;
    };
    using Provider = std::function<Offer(QChar first)>;
    void open(const QString& text, Provider provider);

    [[nodiscard]] PickModel* model() const { return m_model; }
    [[nodiscard]] QLineEdit* input() const { return m_input; }
    void pickCurrent();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void filter();
    void match();
    void showMatches(PickMatches matches);
    void takeOffer(Offer offer);
    void place();

    QLineEdit* m_input;
    QListView* m_list;
    QLabel* m_hint;
    PickModel* m_model;
    Provider m_provider;
    QChar m_first;
    qsizetype m_skip = 0;
    QString m_hintText;
    PickItems m_items;
    /// Number of the last question; items and matches of earlier ones are dropped.
    quint64 m_offer = 0;
    quint64 m_question = 0;
    bool m_matching = false;
    /// Enter was pressed before the matches arrived.
    bool m_pickFirst = false;
};

} // namespace aotscope::views
