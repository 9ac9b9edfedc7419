#pragma once

#include "common/request.h"
#include "common/view_context.h"
#include "contract/snapshots.h"
#include "hooks/capsule_rows.h"

#include <QWidget>

#include <optional>
#include <string>

class QLabel;

namespace aotscope::views {

class CodeView;
class ElidedLabel;
class EmptyPage;

/// The graphs that a saved tensor's hook was traced to: what packs it, and what unpacks it.
class CapsuleView : public QWidget {
    Q_OBJECT

public:
    explicit CapsuleView(const ViewContext& context, QWidget* parent = nullptr);

    /// Null: none is chosen. The graphs are read again for each partition, because their names stay when the
    /// hook changes.
    void setCapsule(const session::PartitionSnapshotPtr& split, const Capsule* capsule);

    [[nodiscard]] CodeView* packView() const { return m_pack.view; }
    [[nodiscard]] CodeView* unpackView() const { return m_unpack.view; }
    [[nodiscard]] EmptyPage* pages() const { return m_pages; }
    [[nodiscard]] QString title() const;

    /// The tags of the commands sent here. Their failures are shown in the view.
    [[nodiscard]] static bool isTag(const QString& tag);

private:
    struct Half {
        Half(const ViewContext& context, const QString& tag, QObject* parent);
        Request<session::GraphSnapshotPtr> request;
        CodeView* view;
        QLabel* title;
        QString name;
    };
    [[nodiscard]] QWidget* box(Half& half, const QString& title, const QString& accessibleName);
    void showCapsule(const Capsule* capsule);
    void load(Half& half, const std::optional<session::ArtifactReference>& reference);
    void show(Half& half);

    ViewContext m_context;
    /// What is shown; empty: none is chosen.
    session::PartitionSnapshotPtr m_split;
    std::string m_saved;
    Half m_pack;
    Half m_unpack;
    ElidedLabel* m_title;
    EmptyPage* m_pages;
};

} // namespace aotscope::views
