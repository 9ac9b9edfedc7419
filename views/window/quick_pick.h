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

/// Something that can be picked by typing parts of its name.
struct PickItem {
    QString title;
    /// Dim, at the right: a key, a shape, a place.
    QString detail;
    std::function<void()> pick;
};

/// How well `wanted` (lower case) matches: all its letters in order, better at word starts and in a row; -1:
/// not at all.
[[nodiscard]] int fuzzyScore(QStringView wanted, QStringView candidate);

using PickItems = std::shared_ptr<const std::vector<PickItem>>;

/// Which items match, best first, at most some hundred of them; and how many there are.
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

/// A list over the window that is filtered by typing: the command palette and go-to-anything. What the first
/// letter means (`>`, `@`, `#`) is the provider's business.
class QuickPick : public QFrame {
    Q_OBJECT

public:
    explicit QuickPick(QWidget* window);

    /// Given what is typed, the items to choose from and what of the text filters them. Asked again only when
    /// the first character changes.
    struct Offer {
        std::vector<PickItem> items;
        /// The items where there are many: made on another thread from immutable values, and looked through
        /// there, too. Null: `items` are all.
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
    /// Items and matches of an earlier question that arrive late are dropped.
    quint64 m_offer = 0;
    quint64 m_question = 0;
    bool m_matching = false;
    /// Enter was pressed before the matches were there.
    bool m_pickFirst = false;
};

} // namespace aotscope::views
