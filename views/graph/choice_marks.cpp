#include "graph/choice_marks.h"

#include "common/format.h"

#include <QCoreApplication>
#include <QStringList>

#include <string_view>
#include <unordered_set>

namespace aotscope::views {
namespace {

using SavedNames = std::unordered_set<std::string_view>;

SavedNames savedNames(const session::PartitionSnapshot& split) {
    SavedNames names;
    for (const session::SavedTensor& tensor : split.saved) {
        names.insert(tensor.name);
    }
    return names;
}

/// Adds one to a count of the node's box, and to the sum.
void countNode(ChoiceMarks& marks, const GraphScene& scene, std::string_view name,
               std::uint32_t ChoiceMarks::Box::*count) {
    const auto node = scene.graph().tryFind(name);
    if (!node) {
        return;
    }
    ++(marks.all.*count);
    if (const BoxId box = scene.boxOf(*node); box.valid()) {
        ++(marks.ofBox[box.index()].*count);
    }
}

} // namespace

ChoiceMarksPtr choiceMarks(const GraphScene& scene, const std::vector<passes::NodeChoice>& choices,
                           bool pending, const session::PartitionSnapshot* shown,
                           const session::PartitionSnapshot* plain) {
    auto marks = std::make_shared<ChoiceMarks>();
    marks->ofBox.resize(scene.boxCount());
    marks->pending = pending;
    for (const passes::NodeChoice& choice : choices) {
        const bool isSave = choice.choice == passes::Forced::Save;
        countNode(*marks, scene, choice.node,
                  isSave ? &ChoiceMarks::Box::save : &ChoiceMarks::Box::recompute);
    }
    if (shown != nullptr && plain != nullptr && shown != plain) {
        const SavedNames now = savedNames(*shown);
        const SavedNames before = savedNames(*plain);
        for (const std::string_view name : now) {
            if (!before.contains(name)) {
                countNode(*marks, scene, name, &ChoiceMarks::Box::nowSaved);
            }
        }
        for (const std::string_view name : before) {
            if (!now.contains(name)) {
                countNode(*marks, scene, name, &ChoiceMarks::Box::noLongerSaved);
            }
        }
    }
    return marks->all.isForced() || marks->all.isChanged() ? marks : nullptr;
}

QString choiceText(const ChoiceMarks::Box& box, bool isGroup) {
    const auto say = [](const char* words) { return QCoreApplication::translate("GraphView", words); };
    QStringList parts;
    const auto add = [&](std::uint32_t count, const QString& one) {
        if (count > 0) {
            parts << (isGroup ? one + QLatin1Char(' ') + formatCount(count) : one);
        }
    };
    add(box.save, say("save"));
    add(box.recompute, say("recompute"));
    if (parts.isEmpty()) {
        add(box.nowSaved, say("+ saved"));
        add(box.noLongerSaved, say("− saved"));
    }
    return parts.join(QStringLiteral(" · "));
}

} // namespace aotscope::views
