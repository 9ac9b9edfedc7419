#include "window/rules_status.h"

#include "common/compile_settings.h"
#include "common/format.h"
#include "common/log_list.h"
#include "common/plain_words.h"
#include "common/selection_hub.h"
#include "partition/current_partition.h"

#include "aot/versions/versions.h"
#include "recompile/retrace_request.h"

#include <QAction>
#include <QActionGroup>
#include <QMenu>

namespace aotscope::views {

namespace {

/// "2.15"
QString numberOf(aot::TorchVersion release) {
    return text(aot::torchVersionText(release));
}

} // namespace

RulesStatus::RulesStatus(const ViewContext& context, QWidget* parent)
    : QToolButton(parent), m_context(context), m_choices(new QActionGroup(this)) {
    setObjectName(QStringLiteral("rules"));
    setPopupMode(QToolButton::InstantPopup);
    setToolButtonStyle(Qt::ToolButtonTextOnly);
    setAutoRaise(true);
    setFocusPolicy(Qt::TabFocus);
    makeMenu();
    connect(context.settings, &CompileSettings::changed, this, &RulesStatus::refresh);
    connect(context.selection, &SelectionHub::selectionChanged, this, &RulesStatus::refresh);
    // The release may be named after the first graph is read.
    connect(context.logs, &LogList::changed, this, &RulesStatus::refresh);
    connect(context.logs, &LogList::closed, this, &RulesStatus::refresh);
    connect(context.partition, &CurrentPartition::partitionChanged, this, &RulesStatus::refresh);
    refresh();
}

void RulesStatus::makeMenu() {
    auto* menu = new QMenu(this);
    m_choices->setExclusive(true);
    const auto add = [&](const QString& title, const std::optional<aot::TorchVersion>& torch) {
        QAction* action = menu->addAction(title);
        action->setCheckable(true);
        m_choices->addAction(action);
        connect(action, &QAction::triggered, this, [this, torch] { m_context.settings->chooseTorch(torch); });
        connect(m_context.settings, &CompileSettings::changed, action,
                [this, action, torch] { action->setChecked(m_context.settings->torch() == torch); });
        action->setChecked(m_context.settings->torch() == torch);
    };
    add(tr("As the log says"), std::nullopt);
    menu->addSeparator();
    for (const aot::TorchVersion version : aot::knownVersions()) {
        add(tr("Rules of torch %1").arg(numberOf(version)), version);
    }
    menu->addSeparator();
    connect(menu->addAction(tr("Compile settings…")), &QAction::triggered, this,
            &RulesStatus::settingsRequested);
    setMenu(menu);
}

std::optional<aot::TorchVersion> RulesStatus::made() const {
    const std::optional<session::Selection>& selected = m_context.selection->current();
    const session::LogSnapshotPtr log = selected ? m_context.logs->tryLog(selected->artifact.log) : nullptr;
    if (!log) {
        return std::nullopt;
    }
    if (const auto torch = session::madeBy(*log)) {
        return torch;
    }
    const session::PartitionSnapshotPtr& split = m_context.partition->snapshot();
    return split && split->joint->reference.log == log->log ? std::optional(split->rules.logged)
                                                            : std::nullopt;
}

/// The ▾ shows that this text in the status bar is a button that opens a menu.
void RulesStatus::say(const QString& words) {
    const std::size_t chosen = m_context.settings->options().size();
    const QString all =
        chosen == 0 ? words : words + tr(" · %1 chosen").arg(formatCount(chosen, "option", "options"));
    setText(all + QStringLiteral(" ▾"));
    setAccessibleName(tr("Rules of PyTorch: %1").arg(all));
}

void RulesStatus::refresh() {
    const std::optional<session::Selection>& selected = m_context.selection->current();
    const bool isOpen = selected && m_context.logs->tryLog(selected->artifact.log);
    setVisible(isOpen);
    if (!isOpen) {
        return;
    }
    const std::optional<aot::TorchVersion>& chosen = m_context.settings->torch();
    const std::optional<aot::TorchVersion> release = made();
    m_choices->actions().front()->setText(release ? tr("As the log says (torch %1)").arg(numberOf(*release))
                                                  : tr("As the file says"));
    if (!release && !chosen) {
        say(tr("PyTorch rules: from file"));
        setToolTip(plainToolTip(tr("Each graph of this file is compiled by the rules of its release")));
        return;
    }
    const aot::RulesChoice rules{release.value_or(chosen.value_or(aot::unnamedVersion())), chosen};
    const QString whose = tr("rules of torch %1").arg(numberOf(aot::rulesVersion(rules.release())));
    const bool isOther = chosen && (!release || *chosen != *release);
    const bool isNearest = !isOther && release && !rules.isOwn();
    say(isOther     ? tr("%1 (chosen)").arg(whose)
        : isNearest ? tr("%1 (nearest to %2)").arg(whose, numberOf(*release))
                    : whose);
    const QString all = release ? views::text(rules.text()) : whose;
    QString tip = tr("Re-traces and partitions follow the %1. Click to choose another release.").arg(all);
    for (const aot::ConfigSetting& option : m_context.settings->options()) {
        tip += QLatin1Char('\n') + views::text(option.name + " = " + option.text);
    }
    setToolTip(plainToolTip(tip));
}

} // namespace aotscope::views
