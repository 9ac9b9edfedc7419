#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace aotscope::load {

/// A column of the record table that grows without moving its entries, so that growing needs no second copy.
/// Copies share the full pages, which never change; each has its own last page.
template<typename T>
class PagedColumn {
public:
    static constexpr std::size_t pageSize = 1U << 14U;

    PagedColumn() = default;
    PagedColumn(const PagedColumn& other) : m_pages(other.m_pages), m_size(other.m_size) {
        if (m_size > 0) {
            const auto& shared = other.m_pages.back();
            m_pages.back() = std::make_shared<T[]>(pageSize); // NOLINT: a page is an array
            std::copy_n(shared.get(), (m_size - 1) % pageSize + 1, m_pages.back().get());
        }
    }
    PagedColumn(PagedColumn&&) noexcept = default;
    PagedColumn& operator=(const PagedColumn& other) {
        *this = PagedColumn(other);
        return *this;
    }
    PagedColumn& operator=(PagedColumn&&) noexcept = default;
    ~PagedColumn() = default;

    void push_back(T value) {
        if (m_size % pageSize == 0) {
            m_pages.push_back(std::make_shared<T[]>(pageSize)); // NOLINT: a page is an array
        }
        m_pages[m_size / pageSize][m_size % pageSize] = value;
        ++m_size;
    }

    [[nodiscard]] const T& operator[](std::size_t index) const {
        return m_pages[index / pageSize][index % pageSize];
    }
    /// Copies keep the entry that they have.
    void set(std::size_t index, T value) {
        auto& page = m_pages[index / pageSize];
        if (page.use_count() > 1) {
            const std::size_t first = index / pageSize * pageSize;
            auto own = std::make_shared<T[]>(pageSize); // NOLINT: a page is an array
            std::copy_n(page.get(), std::min(pageSize, m_size - first), own.get());
            page = std::move(own);
        }
        page[index % pageSize] = value;
    }
    /// Only the last entry may be changed in place once the column has been copied.
    [[nodiscard]] T& last() { return m_pages.back()[(m_size - 1) % pageSize]; }
    [[nodiscard]] std::size_t size() const { return m_size; }
    [[nodiscard]] bool empty() const { return m_size == 0; }

private:
    std::vector<std::shared_ptr<T[]>> m_pages; // NOLINT: a page is an array
    std::size_t m_size = 0;
};

} // namespace aotscope::load
