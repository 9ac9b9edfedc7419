#pragma once

#include <QAbstractItemModel>
#include <QFont>

#include <memory>
#include <vector>

namespace aotscope::views {

/// JSON text as a tree. A container's members are found when it is opened, a batch at a time, by scanning its
/// text without recursion; so any size and any depth open at once. Accepts NaN and Infinity, as Python
/// writes.
class JsonModel : public QAbstractItemModel {
    Q_OBJECT

public:
    explicit JsonModel(QObject* parent = nullptr);
    ~JsonModel() override;

    /// False, and an empty model, when the text does not begin a JSON object or array.
    bool setText(const QString& text);
    [[nodiscard]] static bool looksLikeJson(QStringView text);
    /// The value's text, whole, for copying.
    [[nodiscard]] QString valueAt(const QModelIndex& index) const;

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& child) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] bool hasChildren(const QModelIndex& parent = {}) const override;
    [[nodiscard]] bool canFetchMore(const QModelIndex& parent) const override;
    void fetchMore(const QModelIndex& parent) override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Item;
    [[nodiscard]] Item* itemOf(const QModelIndex& index) const;
    [[nodiscard]] qsizetype skipSpace(qsizetype at) const;
    [[nodiscard]] qsizetype skipValue(qsizetype at) const;
    [[nodiscard]] bool isContainer(const Item& item) const;
    [[nodiscard]] std::vector<std::unique_ptr<Item>> scan(Item& item);

    QString m_text;
    QFont m_font;
    std::unique_ptr<Item> m_root;
};

} // namespace aotscope::views
