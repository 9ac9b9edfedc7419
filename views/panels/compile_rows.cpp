#include "panels/compile_rows.h"

#include "common/format.h"
#include "common/log_list.h"
#include "panels/compile_model.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string_view>

namespace aotscope::views {

namespace {

constexpr double unknown = -1;

/// The sort key of a row: texts compare first, then numbers.
struct SortKey {
    std::string_view text;
    std::string_view more;
    double number = 0;
    auto operator<=>(const SortKey&) const = default; // NOLINT(modernize-use-nullptr): its own zero
};

char lowered(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// The distinct texts of columns that have few, as bytes in lower case.
class ColumnWords {
public:
    [[nodiscard]] const std::string& of(load::CompileStatus status) {
        return m_status.try_emplace(status, statusWord(status).toLower().toStdString()).first->second;
    }
    [[nodiscard]] const std::string& of(load::CacheState cache) {
        return m_cache.try_emplace(cache, cacheWord(cache).toLower().toStdString()).first->second;
    }

private:
    std::map<load::CompileStatus, std::string> m_status;
    std::map<load::CacheState, std::string> m_cache;
};

/// Searches the words in one compile after the other. Its buffer is reused: a log may have tens of thousands.
class WordSearch {
public:
    explicit WordSearch(const std::vector<std::string>& words) : m_words(words) {}

    [[nodiscard]] bool matches(const load::Compile& compile) {
        if (m_words.empty()) {
            return true;
        }
        m_line = session::idText(compile.id, compile.rank);
        for (const std::string& part :
             {std::cref(compile.function), std::cref(compile.file), std::cref(compile.reason)}) {
            m_line += ' ';
            m_line += part;
        }
        m_line += ':';
        m_line += std::to_string(compile.line);
        m_line += ' ';
        m_line += m_columns.of(compile.status);
        m_line += compile.recompileReasons.empty() ? " " : " recompiled ";
        m_line += m_columns.of(compile.cache);
        std::ranges::transform(m_line, m_line.begin(), lowered);
        return std::ranges::all_of(
            m_words, [&](const std::string& word) { return m_line.find(word) != std::string::npos; });
    }

private:
    const std::vector<std::string>& m_words;
    ColumnWords m_columns;
    std::string m_line;
};

double numberOf(const session::LogSnapshot& log, std::uint32_t index, const CompileOrder& order) {
    const load::Compile& compile = log.compiles()[index];
    switch (order.column) {
    case CompileModel::Nodes: {
        const auto nodes = order.totals.nodesOf(session::referenceTo(log, compile));
        return nodes ? double(*nodes) : double(compile.graphNodeCount.value_or(-1));
    }
    case CompileModel::Time:
        return compile.seconds.value_or(unknown);
    case CompileModel::Saved: {
        const auto saved = order.totals.savedBytesOf(session::referenceTo(log, compile));
        return saved ? double(*saved) : unknown;
    }
    case CompileModel::Guards:
        return double(compile.guardCount.value_or(-1));
    case CompileModel::Status:
        return 2 * double(compile.status) + (compile.recompileReasons.empty() ? 0 : 1);
    case CompileModel::Cache:
        return double(compile.cache);
    default:
        return double(index);
    }
}

void sortRows(std::vector<std::uint32_t>& rows, const session::LogSnapshot& log, const CompileOrder& order) {
    const auto compiles = log.compiles();
    std::vector<SortKey> keys(compiles.size());
    for (const std::uint32_t i : rows) {
        if (order.column == CompileModel::What) {
            keys[i] = {compiles[i].function, compiles[i].file, double(compiles[i].line)};
        } else {
            keys[i].number = numberOf(log, i, order);
        }
    }
    const bool ascending = order.order == Qt::AscendingOrder;
    std::ranges::stable_sort(rows, [&](std::uint32_t left, std::uint32_t right) {
        return ascending ? keys[left] < keys[right] : keys[right] < keys[left];
    });
}

} // namespace

std::vector<std::string> filterWords(const QString& filter) {
    std::vector<std::string> words;
    for (const QString& word : filter.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        words.push_back(word.toStdString());
        std::ranges::transform(words.back(), words.back().begin(), lowered);
    }
    return words;
}

std::vector<std::uint32_t> compileRows(const session::LogSnapshot& log,
                                       const std::vector<std::uint32_t>& kept, const CompileOrder& order) {
    const auto compiles = log.compiles();
    std::vector<bool> isKept(compiles.size(), false);
    for (const std::uint32_t compile : kept) {
        isKept[compile] = true;
    }
    std::vector<std::uint32_t> rows;
    WordSearch search(order.words);
    for (std::uint32_t i = 0; i < compiles.size(); ++i) {
        if (isKept[i] || search.matches(compiles[i])) {
            rows.push_back(i);
        }
    }
    if (order.column >= 0) {
        sortRows(rows, log, order);
    }
    return rows;
}

} // namespace aotscope::views
