#pragma once

#include <QStyledItemDelegate>

namespace aotscope::views {

class ThemeSource;

/// Paints CapsuleModel's column Way: the tensor leaves the forward as a band as thick as its bytes, is packed
/// into a capsule that is filled by what is stored, and comes out of it for the backward. Without a hook the
/// band goes through.
class CapsuleDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    explicit CapsuleDelegate(const ThemeSource* theme, QObject* parent = nullptr);

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;

private:
    const ThemeSource* m_theme;
};

} // namespace aotscope::views
