#include "hooks/capsule_view.h"

#include "common/code_view.h"
#include "common/elided_label.h"
#include "common/empty_page.h"
#include "common/format.h"
#include "common/panel_layout.h"
#include "common/plain_words.h"
#include "hooks/hook_graph_text.h"
#include "style/ink.h"

#include <QSplitter>

namespace aotscope::views {

namespace {

constexpr const char* packName = "pack";
constexpr const char* unpackName = "unpack";

QString packTag() {
    return QStringLiteral("pack graph");
}

QString unpackTag() {
    return QStringLiteral("unpack graph");
}

} // namespace

bool CapsuleView::isTag(const QString& tag) {
    return tag == packTag() || tag == unpackTag();
}

CapsuleView::Half::Half(const ViewContext& context, const QString& tag, QObject* parent)
    : request(context.engine, tag, parent), view(new CodeView(context.theme)), title(plainLabel()) {}

CapsuleView::CapsuleView(const ViewContext& context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_pack(context, packTag(), this),
      m_unpack(context, unpackTag(), this),
      m_title(new ElidedLabel) {
    auto* halves = new QSplitter(Qt::Horizontal);
    halves->setObjectName(QStringLiteral("capsuleHalves"));
    halves->setChildrenCollapsible(false);
    halves->addWidget(box(m_pack, tr("Pack (end of forward)"), tr("Pack graph")));
    halves->addWidget(box(m_unpack, tr("Unpack (start of backward)"), tr("Unpack graph")));
    m_title->setContentsMargins(8, 4, 8, 2);
    m_pages = new EmptyPage(halves);
    auto* column = flushColumn(this);
    column->addWidget(m_title);
    column->addWidget(m_pages, 1);
    for (Half* half : {&m_pack, &m_unpack}) {
        connect(&half->request, &RequestBase::changed, this, [this, half] { show(*half); });
    }
    showCapsule(nullptr);
}

QWidget* CapsuleView::box(Half& half, const QString& title, const QString& accessibleName) {
    auto* widget = new QWidget;
    auto* column = flushColumn(widget);
    half.name = title;
    half.title->setText(title);
    half.title->setContentsMargins(8, 2, 8, 2);
    // Never wider than its half.
    half.title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    setWords(half.title, Words::Dim);
    half.view->setAccessibleName(accessibleName);
    column->addWidget(half.title);
    column->addWidget(half.view, 1);
    return widget;
}

QString CapsuleView::title() const {
    return m_title->text();
}

void CapsuleView::setCapsule(const session::PartitionSnapshotPtr& split, const Capsule* capsule) {
    const std::string saved = capsule ? capsule->saved->name : std::string();
    if (split != m_split || saved != m_saved) {
        m_split = split;
        m_saved = saved;
        showCapsule(capsule);
    }
}

void CapsuleView::showCapsule(const Capsule* capsule) {
    m_title->setVisible(capsule != nullptr);
    if (capsule == nullptr) {
        load(m_pack, std::nullopt);
        load(m_unpack, std::nullopt);
        m_pages->showMessage(tr("No tensor is chosen"),
                             tr("Choose a row to see the graphs that pack and unpack it."));
        return;
    }
    const QString name = text(capsule->saved->name);
    m_title->setText(tr("%1  ·  %2%3  ·  %4")
                         .arg(name, text(capsule->saved->dtype), text(capsule->saved->shape),
                              capsule->hasHook()
                                  ? tr("%1 → %2 by %3")
                                        .arg(formatBytes(capsule->bytes()), formatBytes(capsule->stored()),
                                             text(capsule->hooked->hook))
                                  : formatBytes(capsule->bytes())));
    if (!capsule->hasHook()) {
        load(m_pack, std::nullopt);
        load(m_unpack, std::nullopt);
        m_pages->showMessage(tr("%1 is saved as it is").arg(name),
                             capsule->whyNot().isEmpty()
                                 ? tr("Give it a hook with “hook for the chosen” above the table.")
                                 : tr("Its hook is not applied: %1").arg(capsule->whyNot()));
        return;
    }
    m_pages->showContent();
    load(m_pack, capsule->hooked->pack);
    load(m_unpack, capsule->hooked->unpack);
}

void CapsuleView::load(Half& half, const std::optional<session::ArtifactReference>& reference) {
    if (reference) {
        half.request.ask(session::LoadGraph{*reference});
    } else {
        half.request.forget();
        half.view->setText(QString(), CodeLanguage::Plain);
    }
}

/// The text of before stays until the next one is there, so that it does not flicker while a person types.
void CapsuleView::show(Half& half) {
    const session::GraphSnapshotPtr& graph = half.request.answer();
    if (half.request.state() == RequestBase::State::Ready && graph) {
        const char* name = &half == &m_pack ? packName : unpackName;
        half.view->setText(linesOf(graph->graph ? hookGraphText(*graph->graph, name) : graph->text),
                           CodeLanguage::Python);
        half.title->setText(half.name);
    } else if (half.request.error()) {
        half.view->setText(QString(), CodeLanguage::Plain);
        half.title->setText(text(half.request.error()->message));
    }
    half.title->setToolTip(plainToolTip(half.title->text()));
}

} // namespace aotscope::views
