#pragma once

#include <QAbstractListModel>
#include <QFrame>

#include <functional>
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

/// The items that match, best first, at most some hundred shown.
class PickModel : public QAbstractListModel {
    Q_OBJECT

public:
    using QAbstractListModel::QAbstractListModel;
    void setItems(std::vector<PickItem> items);
    void addItems(const std::vector<PickItem>& items);
    void setWanted(const QString& wanted);
    [[nodiscard]] const PickItem& itemAt(int row) const {
        return m_items[m_matches[static_cast<std::size_t>(row)]];
    }
    [[nodiscard]] std::size_t matchCount() const { return m_matchCount; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    std::vector<PickItem> m_items;
    std::vector<std::size_t> m_matches;
    std::size_t m_matchCount = 0;
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
        /// More items, made on another thread from immutable values; null: none. Shown when they are there.
        std::function<std::vector<PickItem>()> rest = {};
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

private:
    void filter();
    void match();
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
    /// Items of an earlier question that arrive late are dropped.
    quint64 m_question = 0;
};

} // namespace aotscope::views
