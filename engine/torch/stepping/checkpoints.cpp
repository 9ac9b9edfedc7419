#include "stepping/checkpoints.h"

#include <algorithm>
#include <iterator>

namespace aotscope::torch {

void Checkpoints::add(std::size_t run, std::size_t event, FrameCheckpoint checkpoint, bool isEnd) {
    std::vector<steps::KeptStorage> storages = checkpoint.storages(m_isOthers);
    m_all.insert_or_assign({run, event}, std::move(checkpoint));
    drop(m_plan.add(event, std::move(storages), isEnd));
}

std::pair<const FrameCheckpoint*, std::size_t> Checkpoints::lastOf(std::size_t run, std::size_t event) const {
    const auto behind = m_all.upper_bound({run, event});
    if (behind == m_all.begin() || std::prev(behind)->first.first != run) {
        return {nullptr, 0};
    }
    return {&std::prev(behind)->second, std::prev(behind)->first.second};
}

bool Checkpoints::anyBetween(std::size_t from, std::size_t to) const {
    return std::ranges::any_of(
        m_all, [&](const auto& entry) { return entry.first.second > from && entry.first.second <= to; });
}

void Checkpoints::beforeWrite(const c10::Storage& storage) {
    const c10::StorageImpl* written = storage.unsafeGetStorageImpl();
    const bool isKept =
        std::ranges::any_of(m_all, [&](const auto& entry) { return entry.second.keeps(written); });
    if (!isKept) {
        return;
    }
    const c10::Storage copy = copyOf(storage);
    for (auto& [place, checkpoint] : m_all) {
        checkpoint.keepCopy(written, copy);
    }
    const auto numberOf = [](const c10::StorageImpl* each) { return reinterpret_cast<std::uintptr_t>(each); };
    drop(m_plan.replace(numberOf(written),
                        {numberOf(copy.unsafeGetStorageImpl()), static_cast<std::int64_t>(copy.nbytes())}));
}

void Checkpoints::drop(const std::vector<std::size_t>& events) {
    std::erase_if(m_all, [&](const auto& entry) {
        return std::ranges::find(events, entry.first.second) != events.end();
    });
}

} // namespace aotscope::torch
