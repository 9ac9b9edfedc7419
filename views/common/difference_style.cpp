#include "common/difference_style.h"

#include <QObject>

namespace aotscope::views {

QString differenceGlyph(ir::NodeDifference::Kind kind) {
    switch (kind) {
    case ir::NodeDifference::Kind::Added:
        return QStringLiteral("+");
    case ir::NodeDifference::Kind::Removed:
        return QStringLiteral("−");
    case ir::NodeDifference::Kind::Changed:
        return QStringLiteral("~");
    case ir::NodeDifference::Kind::Moved:
        return QStringLiteral("↕");
    case ir::NodeDifference::Kind::Renamed:
        break;
    }
    return QStringLiteral("→");
}

QString differenceWord(ir::NodeDifference::Kind kind) {
    switch (kind) {
    case ir::NodeDifference::Kind::Added:
        return QObject::tr("added");
    case ir::NodeDifference::Kind::Removed:
        return QObject::tr("removed");
    case ir::NodeDifference::Kind::Changed:
        return QObject::tr("changed");
    case ir::NodeDifference::Kind::Moved:
        return QObject::tr("moved");
    case ir::NodeDifference::Kind::Renamed:
        break;
    }
    return QObject::tr("renamed");
}

QColor differenceColor(ir::NodeDifference::Kind kind, const Theme& theme) {
    switch (kind) {
    case ir::NodeDifference::Kind::Added:
        return theme.good;
    case ir::NodeDifference::Kind::Removed:
        return theme.bad;
    case ir::NodeDifference::Kind::Changed:
        return theme.warning;
    case ir::NodeDifference::Kind::Moved:
        return theme.accent;
    case ir::NodeDifference::Kind::Renamed:
        break;
    }
    return theme.dimText;
}

} // namespace aotscope::views
