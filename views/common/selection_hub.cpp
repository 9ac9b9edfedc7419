#include "common/selection_hub.h"

#include <algorithm>

namespace aotscope::views {

namespace {
constexpr std::size_t longestHistory = 500;
}

void SelectionHub::select(const session::Selection& selection, QObject* source) {
    if (m_current == selection) {
        return;
    }
    if (!m_history.empty()) {
        // A new selection replaces the forward history.
        m_history.resize(m_position + 1);
    }
    m_history.push_back(selection);
    if (m_history.size() > longestHistory) {
        m_history.erase(m_history.begin());
    }
    m_position = m_history.size() - 1;
    m_current = selection;
    // A copy, because a receiver may change the selection while this signal is delivered.
    const session::Selection selected = selection; // NOLINT(performance-unnecessary-copy-initialization)
    Q_EMIT selectionChanged(selected, source);
    Q_EMIT historyChanged();
}

void SelectionHub::hover(const std::optional<session::Selection>& selection, QObject* source) {
    if (m_hovered == selection) {
        return;
    }
    m_hovered = selection;
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): as above.
    const std::optional<session::Selection> hovered = selection;
    Q_EMIT hoverChanged(hovered, source);
}

void SelectionHub::setSpotlight(SpotlightPtr spotlight) {
    if (m_spotlight != spotlight) {
        m_spotlight = std::move(spotlight);
        Q_EMIT spotlightChanged();
    }
}

void SelectionHub::setStages(session::RetraceSnapshotPtr traced) {
    if (m_stages != traced) {
        m_stages = std::move(traced);
        Q_EMIT stagesChanged();
    }
}

bool SelectionHub::canGoBack() const {
    return m_position > 0;
}

bool SelectionHub::canGoForward() const {
    return m_position + 1 < m_history.size();
}

void SelectionHub::goBack() {
    if (canGoBack()) {
        showHistory(m_position - 1);
    }
}

void SelectionHub::goForward() {
    if (canGoForward()) {
        showHistory(m_position + 1);
    }
}

void SelectionHub::showHistory(std::size_t position) {
    m_position = position;
    const session::Selection selected = m_history[position];
    m_current = selected;
    Q_EMIT selectionChanged(selected, nullptr);
    Q_EMIT historyChanged();
}

void SelectionHub::forgetLog(quint32 log) {
    const auto inLog = [log](const session::Selection& selection) { return selection.artifact.log == log; };
    const auto before = std::min(m_position + 1, m_history.size());
    const auto middle = m_history.begin() + static_cast<std::ptrdiff_t>(before);
    const auto keptBefore =
        before - static_cast<std::size_t>(std::count_if(m_history.begin(), middle, inLog));
    std::erase_if(m_history, inLog);
    // Removing entries may leave two equal neighbours. Going from one to the other does nothing, which is
    // harmless.
    m_position = keptBefore == 0 ? 0 : keptBefore - 1;
    if (m_hovered && inLog(*m_hovered)) {
        hover(std::nullopt);
    }
    if (m_spotlight && m_spotlight->artifact.log == log) {
        setSpotlight(nullptr);
    }
    if (m_stages && m_stages->log == log) {
        setStages(nullptr);
    }
    if (m_current && inLog(*m_current)) {
        m_current.reset();
        if (!m_history.empty()) {
            showHistory(m_position);
            return;
        }
    }
    Q_EMIT historyChanged();
}

} // namespace aotscope::views
