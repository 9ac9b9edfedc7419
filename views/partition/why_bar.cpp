#include "partition/why_bar.h"

#include "common/elided_label.h"
#include "common/format.h"
#include "common/retry_button.h"
#include "partition/current_partition.h"
#include "style/ink.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

namespace aotscope::views {

WhyBar::WhyBar(const ViewContext& context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_scope(new QComboBox),
      m_save(new QPushButton(tr("Save"))),
      m_recompute(new QPushButton(tr("Recompute"))),
      m_release(new QPushButton(tr("Undo"))),
      m_taken(new ElidedLabel) {
    m_scope->setAccessibleName(tr("What the choice is for"));
    m_scope->setToolTip(
        tr("Nodes that the choice applies to: this node, all of a module, or the search result"));
    m_scope->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_scope->setMinimumContentsLength(10);
    m_save->setToolTip(tr("Force it to be saved for the backward, and split again (Ctrl+Alt+B)"));
    m_recompute->setToolTip(tr("Force it to be recomputed in the backward, and split again (Ctrl+Alt+R)"));
    m_release->setToolTip(tr("Remove the override (Ctrl+Alt+U)"));
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(4);
    buttons->addWidget(m_save);
    buttons->addWidget(m_recompute);
    buttons->addWidget(m_release);
    buttons->addWidget(new RetryButton(context.partition->request()));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 4, 8, 4);
    layout->setSpacing(4);
    layout->addWidget(m_scope);
    layout->addWidget(m_taken);
    layout->addLayout(buttons);
    m_taken->setObjectName(QStringLiteral("takenNodes"));
    setWords(m_taken, Words::Dim);
    connect(m_save, &QPushButton::clicked, this, &WhyBar::forceSave);
    connect(m_recompute, &QPushButton::clicked, this, &WhyBar::forceRecompute);
    connect(m_release, &QPushButton::clicked, this, &WhyBar::release);
    connect(m_scope, &QComboBox::currentIndexChanged, this, &WhyBar::updateButtons);
    connect(context.partition, &CurrentPartition::partitionChanged, this, &WhyBar::refresh);
    connect(context.partition, &CurrentPartition::choicesChanged, this, &WhyBar::updateButtons);
    refresh();
}

void WhyBar::setNode(const std::string& node) {
    if (node != m_node) {
        m_node = node;
        refresh();
    }
}

void WhyBar::setFound(std::vector<std::string> names) {
    if (names != m_found) {
        m_found = std::move(names);
        refresh();
    }
}

void WhyBar::refresh() {
    const CurrentPartition& split = *m_context.partition;
    const QString before = m_scope->currentText().section(QLatin1Char('('), 0, 0);
    m_scopes.clear();
    const auto add = [&](const QString& title, const std::vector<std::string>& nodes, const QString& remark) {
        std::vector<std::string> choosable = split.choosable(nodes);
        if (!choosable.empty()) {
            const QString count = QStringLiteral(" (%1)").arg(formatCount(choosable.size()));
            m_scopes.push_back({title + count, std::move(choosable), remark});
        }
    };
    // Also where it cannot be chosen: the choice must not become one for a module by itself.
    const bool isNode = split.snapshot() && split.snapshot()->joint->graph->tryFind(m_node).has_value();
    if (isNode) {
        m_scopes.push_back({tr("this node"), split.choosable(std::vector{m_node}), {}});
    }
    if (split.snapshot()) {
        const session::GraphSnapshot& joint = *split.snapshot()->joint;
        const auto node = joint.graph->tryFind(m_node);
        std::string module = node ? joint.modules.ofNode[node->index()].path : std::string();
        const bool isDerived = node && joint.modules.ofNode[node->index()].derived;
        const QString remark = isDerived ? tr(" (modules are derived)") : QString();
        while (!module.empty()) {
            add(tr("all of %1").arg(text(module)), split.nodesOfModule(module), remark);
            const std::size_t dot = module.rfind('.');
            module.erase(dot == std::string::npos ? 0 : dot);
        }
    }
    add(tr("search result"), m_found, {});
    const QSignalBlocker blocker(m_scope);
    m_scope->clear();
    for (const Scope& scope : m_scopes) {
        m_scope->addItem(scope.title);
        if (scope.title.section(QLatin1Char('('), 0, 0) == before) {
            m_scope->setCurrentIndex(m_scope->count() - 1);
        }
    }
    setVisible(std::ranges::any_of(m_scopes, [](const Scope& scope) { return !scope.nodes.empty(); }));
    updateButtons();
}

const std::vector<std::string>& WhyBar::chosen() const {
    static const std::vector<std::string> none;
    const auto place = static_cast<std::size_t>(m_scope->currentIndex());
    return place < m_scopes.size() ? m_scopes[place].nodes : none;
}

/// Before anything is chosen: which nodes a choice takes.
void WhyBar::sayTaken() {
    const auto place = static_cast<std::size_t>(m_scope->currentIndex());
    if (place >= m_scopes.size()) {
        m_taken->clear();
        return;
    }
    const Scope& scope = m_scopes[place];
    if (scope.nodes.empty()) {
        m_taken->setText(tr("%1 cannot be chosen: only what the forward computes can").arg(text(m_node)));
        return;
    }
    constexpr std::size_t most = 24;
    QStringList names;
    for (std::size_t i = 0; i < std::min(scope.nodes.size(), most); ++i) {
        names << text(scope.nodes[i]);
    }
    QString all = names.join(QStringLiteral(", "));
    if (scope.nodes.size() > most) {
        all += tr(" and %1 more").arg(formatCount(scope.nodes.size() - most));
    }
    m_taken->setText(tr("takes %1").arg(all) + scope.remark);
}

void WhyBar::updateButtons() {
    sayTaken();
    const std::vector<std::string>& nodes = chosen();
    const auto allAre = [&](passes::Forced choice) {
        return std::ranges::all_of(
            nodes, [&](const std::string& node) { return m_context.partition->choiceOf(node) == choice; });
    };
    m_save->setEnabled(!nodes.empty() && !allAre(passes::Forced::Save));
    m_recompute->setEnabled(!nodes.empty() && !allAre(passes::Forced::Recompute));
    m_release->setEnabled(std::ranges::any_of(
        nodes, [&](const std::string& node) { return m_context.partition->choiceOf(node).has_value(); }));
}

void WhyBar::forceSave() {
    if (m_save->isEnabled()) {
        m_context.partition->force(chosen(), passes::Forced::Save);
    }
}

void WhyBar::forceRecompute() {
    if (m_recompute->isEnabled()) {
        m_context.partition->force(chosen(), passes::Forced::Recompute);
    }
}

void WhyBar::release() {
    if (m_release->isEnabled()) {
        m_context.partition->release(chosen());
    }
}

} // namespace aotscope::views
