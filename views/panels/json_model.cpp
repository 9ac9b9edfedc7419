#include "panels/json_model.h"

#include "common/code_text.h"
#include "common/plain_words.h"
#include "common/theme.h"

#include "base/utf16.h"

#include <utility>

namespace aotscope::views {

namespace {
constexpr std::size_t longestShown = 300;
constexpr std::size_t longestTip = 2'000;

/// A value shortened to one line.
QString shownOf(std::string_view words) {
    if (words.size() <= longestShown) {
        return wordsOf(words).simplified();
    }
    return wordsOf(words.substr(0, base::characterStart(words, longestShown))).simplified() +
           QStringLiteral(" …");
}
} // namespace

struct JsonModel::Item {
    Item* parent = nullptr;
    int row = 0;
    load::JsonOutline::Member member;
    bool isAsked = false;
    /// Where to continue reading members; 0 after the first batch: all are known.
    std::size_t next = 0;
    std::vector<std::unique_ptr<Item>> children;
};

JsonModel::JsonModel(QObject* parent) : QAbstractItemModel(parent), m_font(codeFont()), m_root(new Item) {}

JsonModel::~JsonModel() = default;

void JsonModel::setJson(load::JsonOutlinePtr json) {
    beginResetModel();
    m_root = std::make_unique<Item>();
    m_json = std::move(json);
    if (m_json) {
        m_root->member.value = m_json->root();
        m_root->children = find(*m_root);
    }
    endResetModel();
}

std::vector<std::unique_ptr<JsonModel::Item>> JsonModel::find(Item& item) const {
    const load::JsonOutline::Members members = m_json->members(item.member.value, item.next);
    item.isAsked = true;
    item.next = members.next;
    std::vector<std::unique_ptr<Item>> found;
    found.reserve(members.found.size());
    for (const load::JsonOutline::Member& member : members.found) {
        auto child = std::make_unique<Item>();
        child->parent = &item;
        child->row = static_cast<int>(item.children.size() + found.size());
        child->member = member;
        found.push_back(std::move(child));
    }
    return found;
}

QString JsonModel::keyOf(const Item& item) const {
    const bool isOfList = m_json->text()[item.parent->member.value.begin] == '[';
    return isOfList ? QString::number(item.row) : shownOf(item.member.key);
}

JsonModel::Item* JsonModel::itemOf(const QModelIndex& index) const {
    return index.isValid() ? static_cast<Item*>(index.internalPointer()) : m_root.get();
}

std::string_view JsonModel::valueAt(const QModelIndex& index) const {
    return m_json ? m_json->text(itemOf(index)->member.value) : std::string_view();
}

QModelIndex JsonModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent)) {
        return {};
    }
    return createIndex(row, column, itemOf(parent)->children[static_cast<std::size_t>(row)].get());
}

QModelIndex JsonModel::parent(const QModelIndex& child) const {
    Item* item = child.isValid() ? itemOf(child)->parent : nullptr;
    return item && item != m_root.get() ? createIndex(item->row, 0, item) : QModelIndex();
}

int JsonModel::rowCount(const QModelIndex& parent) const {
    return parent.column() > 0 ? 0 : static_cast<int>(itemOf(parent)->children.size());
}

int JsonModel::columnCount(const QModelIndex&) const {
    return 2;
}

bool JsonModel::hasChildren(const QModelIndex& parent) const {
    return parent.column() <= 0 && m_json && m_json->hasMembers(itemOf(parent)->member.value);
}

bool JsonModel::canFetchMore(const QModelIndex& parent) const {
    const Item* item = itemOf(parent);
    return hasChildren(parent) && (!item->isAsked || item->next != 0);
}

void JsonModel::fetchMore(const QModelIndex& parent) {
    Item* item = itemOf(parent);
    if (!canFetchMore(parent)) {
        return;
    }
    auto found = find(*item);
    if (found.empty()) {
        return;
    }
    const int first = static_cast<int>(item->children.size());
    beginInsertRows(parent, first, first + static_cast<int>(found.size()) - 1);
    std::move(found.begin(), found.end(), std::back_inserter(item->children));
    endInsertRows();
}

QVariant JsonModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) {
        return {};
    }
    const Item* item = itemOf(index);
    if (role == Qt::DisplayRole) {
        return index.column() == 0 ? keyOf(*item) : shownOf(m_json->text(item->member.value));
    }
    if (role == Qt::ToolTipRole && index.column() == 1) {
        const std::string_view words = m_json->text(item->member.value);
        return plainToolTip(wordsOf(words.substr(0, base::characterStart(words, longestTip))));
    }
    return role == Qt::FontRole ? QVariant(m_font) : QVariant();
}

QVariant JsonModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return {};
    }
    return section == 0 ? tr("key") : tr("value");
}

} // namespace aotscope::views
