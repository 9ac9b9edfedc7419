#pragma once

#include "load/json_outline.h"

#include <QAbstractItemModel>
#include <QFont>

#include <memory>
#include <vector>

namespace aotscope::views {

/// JSON text as a tree. Members of a container are found in batches when it is opened, and only visible ones
/// are converted to QString, so that text of any size and depth opens at once.
class JsonModel : public QAbstractItemModel {
    Q_OBJECT

public:
    explicit JsonModel(QObject* parent = nullptr);
    ~JsonModel() override;

    /// The outline owns its text. Null: empty model.
    void setJson(load::JsonOutlinePtr json);
    /// The whole text of a value, for copying. Valid as long as the outline.
    [[nodiscard]] std::string_view valueAt(const QModelIndex& index) const;
    [[nodiscard]] const load::JsonOutlinePtr& json() const { return m_json; }

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
    [[nodiscard]] std::vector<std::unique_ptr<Item>> find(Item& item) const;
    [[nodiscard]] QString keyOf(const Item& item) const;

    load::JsonOutlinePtr m_json;
    QFont m_font;
    std::unique_ptr<Item> m_root;
};

} // namespace aotscope::views
