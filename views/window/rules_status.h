#pragma once

#include "aot/versions/rules_choice.h"
#include "common/view_context.h"

#include <QToolButton>

#include <optional>

class QActionGroup;

namespace aotscope::views {

/// In the status bar: whose rules the selected log's graphs are compiled by again, with a menu to choose
/// those of another release. Hidden while no graph is selected.
class RulesStatus : public QToolButton {
    Q_OBJECT

public:
    explicit RulesStatus(const ViewContext& context, QWidget* parent = nullptr);

Q_SIGNALS:
    void settingsRequested();

private:
    void makeMenu();
    void refresh();
    void say(const QString& words);
    /// The release that wrote the selected graph. Nothing: a graph file does not say before it is compiled.
    [[nodiscard]] std::optional<aot::TorchVersion> made() const;

    ViewContext m_context;
    QActionGroup* m_choices;
};

} // namespace aotscope::views
