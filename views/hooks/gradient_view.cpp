#include "hooks/gradient_view.h"

#include "common/elided_label.h"
#include "common/empty_page.h"
#include "common/fitting_column.h"
#include "common/format.h"
#include "common/panel_layout.h"
#include "hooks/gradient_model.h"
#include "hooks/gradient_names.h"
#include "style/ink.h"

#include <QHeaderView>
#include <QTreeView>

namespace aotscope::views {

namespace {

enum Scope { OfChosen, OfAll };

} // namespace

GradientView::GradientView(QWidget* parent)
    : QWidget(parent),
      m_model(new GradientModel(this)),
      m_view(new QTreeView),
      m_scope(choiceBox(tr("Which hooks"), tr("The gradients that the chosen tensor's hook reaches, with it "
                                              "alone; or all gradients with all hooks together"))),
      m_title(new ElidedLabel) {
    m_scope->addItem(tr("the chosen hook alone"));
    m_scope->addItem(tr("all hooks together"));
    setWords(m_title, Words::Dim);
    m_view->setObjectName(QStringLiteral("gradients"));
    m_view->setAccessibleName(tr("Errors of the gradients"));
    m_view->setModel(m_model);
    m_view->setRootIsDecorated(false);
    m_view->setUniformRowHeights(true);
    m_view->setAllColumnsShowFocus(true);
    m_view->setSortingEnabled(true);
    m_view->setTextElideMode(Qt::ElideMiddle);
    m_view->sortByColumn(GradientModel::RelativeError, Qt::DescendingOrder);
    m_view->header()->setStretchLastSection(false);
    for (const int column :
         {GradientModel::MaxError, GradientModel::MeanError, GradientModel::RelativeError}) {
        m_view->header()->resizeSection(column, 92);
    }
    fitColumn(m_view, GradientModel::Gradient, 160);
    auto* bar = controlRow();
    bar->addWidget(m_scope);
    bar->addWidget(m_title, 1);
    m_pages = layOutPanel(this, bar, {m_view});
    connect(m_scope, &QComboBox::currentIndexChanged, this, &GradientView::show);
}

void GradientView::setMeasured(const CapsuleSource& source, const Capsule* chosen, const QString& words) {
    if (source.split && (!m_source.split || source.split->joint != m_source.split->joint)) {
        m_model->setNames(gradientNames(*source.split->joint));
    }
    m_source = source;
    m_chosen = chosen ? chosen->saved->name : std::string();
    m_hook = chosen && chosen->hasHook() ? text(chosen->hooked->hook) : QString();
    m_words = words;
    show();
}

void GradientView::show() {
    m_title->clear();
    if (!m_source.latest) {
        m_model->setGradients({});
        m_pages->showMessage(tr("Not measured"), m_words);
    } else if (m_scope->currentIndex() == OfAll && !m_source.withGradients) {
        m_model->setGradients({});
        m_pages->showMessage(tr("Not measured yet"), m_words);
    } else if (m_scope->currentIndex() == OfAll) {
        showAll();
    } else {
        showChosen();
    }
}

void GradientView::showAll() {
    const session::HookErrors& errors = m_source.withGradients->errors;
    const bool isOlder = m_source.withGradients->split->choices != m_source.split->choices;
    m_model->setGradients(errors.together);
    m_title->setText((isOlder ? tr("%1, worst was %2 before the last change") : tr("%1, worst %2"))
                         .arg(formatCount(errors.together.size(), "gradient", "gradients"),
                              formatNumber(session::worstError(errors.together))));
    m_pages->showContent();
}

void GradientView::showChosen() {
    m_model->setGradients({});
    if (m_chosen.empty()) {
        m_pages->showMessage(tr("No tensor is chosen"),
                             tr("Choose a row to see the gradients that its hook reaches."));
        return;
    }
    const auto measure = measureOf(m_source.whole, m_chosen);
    if (m_hook.isEmpty() || !measure) {
        m_pages->showMessage(m_hook.isEmpty() ? tr("%1 has no hook").arg(text(m_chosen))
                                              : tr("%1 was not measured alone yet").arg(text(m_chosen)),
                             m_hook.isEmpty() ? tr("Without one it changes no gradient.") : m_words);
        return;
    }
    if (!measure->error.failure.empty()) {
        m_pages->showMessage(tr("The hook of %1 could not be run").arg(text(m_chosen)),
                             text(measure->error.failure));
        return;
    }
    m_model->setGradients(measure->error.gradients);
    m_title->setText(
        tr("%1 of %2: %3")
            .arg(m_hook, text(m_chosen),
                 formatCount(measure->error.gradients.size(), "gradient reached", "gradients reached")));
    m_pages->showContent();
}

} // namespace aotscope::views
