#include "panels/json_model.h"

#include "common/plain_words.h"
#include "common/theme.h"

#include <algorithm>

namespace aotscope::views {

namespace {
constexpr std::size_t batch = 1'000;
constexpr qsizetype longestShown = 300;

bool isSpace(QChar c) {
    return c == QLatin1Char(' ') || c == QLatin1Char('\n') || c == QLatin1Char('\t') ||
           c == QLatin1Char('\r');
}
} // namespace

struct JsonModel::Item {
    Item* parent = nullptr;
    int row = 0;
    QString key;
    qsizetype start = 0;
    qsizetype end = 0;
    /// Where the scan for further members goes on; -1: all are known.
    qsizetype next = -1;
    std::vector<std::unique_ptr<Item>> children;
};

JsonModel::JsonModel(QObject* parent) : QAbstractItemModel(parent), m_font(codeFont()), m_root(new Item) {}

JsonModel::~JsonModel() = default;

bool JsonModel::looksLikeJson(QStringView text) {
    const auto first = std::find_if_not(text.begin(), text.end(), isSpace);
    return first != text.end() && (*first == QLatin1Char('{') || *first == QLatin1Char('['));
}

bool JsonModel::setText(const QString& text) {
    beginResetModel();
    m_root = std::make_unique<Item>();
    const bool json = looksLikeJson(text);
    m_text = json ? text : QString();
    if (json) {
        m_root->start = skipSpace(0);
        m_root->end = m_text.size();
        m_root->next = m_root->start + 1;
        m_root->children = scan(*m_root);
    }
    endResetModel();
    return json;
}

qsizetype JsonModel::skipSpace(qsizetype at) const {
    while (at < m_text.size() && isSpace(m_text[at])) {
        ++at;
    }
    return at;
}

/// The end of the value that begins at `at`; the end of the text when it never ends.
qsizetype JsonModel::skipValue(qsizetype at) const {
    qsizetype depth = 0;
    for (; at < m_text.size(); ++at) {
        const char16_t c = m_text[at].unicode();
        if (c == u'"') {
            for (++at; at < m_text.size() && m_text[at] != QLatin1Char('"'); ++at) {
                at += m_text[at] == QLatin1Char('\\') ? 1 : 0;
            }
        } else if (c == u'{' || c == u'[') {
            ++depth;
        } else if (c == u'}' || c == u']') {
            if (depth == 0) {
                return at; // The end of the container around a plain value.
            }
            if (--depth == 0) {
                return at + 1;
            }
        } else if (depth == 0 && (c == u',' || c == u':')) {
            return at;
        }
    }
    return m_text.size();
}

bool JsonModel::isContainer(const Item& item) const {
    return item.start < m_text.size() &&
           (m_text[item.start] == QLatin1Char('{') || m_text[item.start] == QLatin1Char('['));
}

std::vector<std::unique_ptr<JsonModel::Item>> JsonModel::scan(Item& item) {
    std::vector<std::unique_ptr<Item>> found;
    const bool object = m_text[item.start] == QLatin1Char('{');
    qsizetype at = item.next;
    item.next = -1;
    while (true) {
        at = skipSpace(at);
        if (at >= item.end || m_text[at] == QLatin1Char('}') || m_text[at] == QLatin1Char(']')) {
            return found;
        }
        if (found.size() == batch) {
            item.next = at;
            return found;
        }
        auto child = std::make_unique<Item>();
        child->parent = &item;
        child->row = static_cast<int>(item.children.size() + found.size());
        if (object) {
            const qsizetype keyEnd = skipValue(at);
            child->key = m_text.mid(at, keyEnd - at).trimmed();
            if (child->key.size() >= 2 && child->key.startsWith(QLatin1Char('"'))) {
                child->key = child->key.mid(1, child->key.size() - 2);
            }
            at = skipSpace(keyEnd);
            if (at < item.end && m_text[at] == QLatin1Char(':')) {
                ++at;
            }
            at = skipSpace(at);
        } else {
            child->key = QString::number(child->row);
        }
        child->start = at;
        child->end = std::min(skipValue(at), item.end);
        at = skipSpace(child->end);
        const bool comma = at < item.end && m_text[at] == QLatin1Char(',');
        if (comma || at == child->start) {
            ++at; // Where it is not JSON too, so that the scan ends.
        }
        if (isContainer(*child)) {
            child->next = child->start + 1;
        }
        found.push_back(std::move(child));
    }
}

JsonModel::Item* JsonModel::itemOf(const QModelIndex& index) const {
    return index.isValid() ? static_cast<Item*>(index.internalPointer()) : m_root.get();
}

QString JsonModel::valueAt(const QModelIndex& index) const {
    const Item* item = itemOf(index);
    return m_text.mid(item->start, item->end - item->start);
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
    const Item* item = itemOf(parent);
    if (parent.column() > 0 || m_text.isEmpty() || !isContainer(*item)) {
        return false;
    }
    const qsizetype first = skipSpace(item->start + 1);
    return first < item->end && m_text[first] != QLatin1Char('}') && m_text[first] != QLatin1Char(']');
}

bool JsonModel::canFetchMore(const QModelIndex& parent) const {
    return parent.column() <= 0 && !m_text.isEmpty() && itemOf(parent)->next >= 0 && hasChildren(parent);
}

void JsonModel::fetchMore(const QModelIndex& parent) {
    Item* item = itemOf(parent);
    if (!canFetchMore(parent)) {
        return;
    }
    auto found = scan(*item);
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
        if (index.column() == 0) {
            return item->key;
        }
        const qsizetype size = item->end - item->start;
        const QString shown = m_text.mid(item->start, std::min(size, longestShown)).simplified();
        return size > longestShown ? shown + QStringLiteral(" …") : shown;
    }
    if (role == Qt::ToolTipRole && index.column() == 1) {
        return plainToolTip(m_text.mid(item->start, std::min<qsizetype>(item->end - item->start, 2'000)));
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
