#include "common/picture_accessible.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QWidget>

#include <algorithm>
#include <map>

namespace aotscope::views {

namespace {

class PictureInterface;

/// One item of a picture. Valid until pictureChanged.
class ItemInterface : public QAccessibleInterface, public QAccessibleActionInterface {
public:
    ItemInterface(PictureInterface* picture, int item) : m_picture(picture), m_item(item) {}

    [[nodiscard]] bool isValid() const override;
    [[nodiscard]] QObject* object() const override { return nullptr; }
    [[nodiscard]] QWindow* window() const override;
    [[nodiscard]] QAccessibleInterface* parent() const override;
    [[nodiscard]] QAccessibleInterface* child(int) const override { return nullptr; }
    [[nodiscard]] QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    [[nodiscard]] int childCount() const override { return 0; }
    [[nodiscard]] int indexOfChild(const QAccessibleInterface*) const override { return -1; }
    [[nodiscard]] QString text(QAccessible::Text kind) const override;
    void setText(QAccessible::Text, const QString&) override {}
    [[nodiscard]] QRect rect() const override;
    [[nodiscard]] QAccessible::Role role() const override { return QAccessible::ListItem; }
    [[nodiscard]] QAccessible::State state() const override;
    void* interface_cast(QAccessible::InterfaceType kind) override {
        return kind == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface*>(this)
                                                    : nullptr;
    }

    [[nodiscard]] QStringList actionNames() const override { return {pressAction()}; }
    void doAction(const QString& name) override;
    [[nodiscard]] QStringList keyBindingsForAction(const QString&) const override { return {}; }

    [[nodiscard]] int item() const { return m_item; }

private:
    PictureInterface* m_picture;
    int m_item;
};

class PictureInterface : public QAccessibleWidget {
public:
    PictureInterface(QWidget* widget, PictureItems* items)
        : QAccessibleWidget(widget, QAccessible::List), m_items(items) {}
    ~PictureInterface() override { forgetItems(); }
    PictureInterface(const PictureInterface&) = delete;
    PictureInterface& operator=(const PictureInterface&) = delete;

    [[nodiscard]] PictureItems& items() const { return *m_items; }
    [[nodiscard]] QWidget* canvas() const { return widget(); }

    [[nodiscard]] int childCount() const override { return m_items->itemCount(); }
    /// Created on demand, because a graph may have a hundred thousand items.
    [[nodiscard]] QAccessibleInterface* child(int index) const override {
        if (index < 0 || index >= m_items->itemCount()) {
            return nullptr;
        }
        const auto found = m_children.find(index);
        if (found != m_children.end()) {
            return QAccessible::accessibleInterface(found->second);
        }
        auto* made = new ItemInterface(const_cast<PictureInterface*>(this), index);
        m_children.emplace(index, QAccessible::registerAccessibleInterface(made));
        return made;
    }
    [[nodiscard]] int indexOfChild(const QAccessibleInterface* child) const override {
        const auto found = std::ranges::find_if(m_children, [child](const auto& entry) {
            return QAccessible::accessibleInterface(entry.second) == child;
        });
        return found == m_children.end() ? -1 : found->first;
    }
    [[nodiscard]] QAccessibleInterface* childAt(int x, int y) const override {
        const std::optional<int> item = m_items->itemAt(widget()->mapFromGlobal(QPoint(x, y)));
        return item ? child(*item) : nullptr;
    }
    [[nodiscard]] QAccessibleInterface* focusChild() const override {
        const std::optional<int> item = widget()->hasFocus() ? m_items->currentItem() : std::nullopt;
        return item ? child(*item) : nullptr;
    }
    [[nodiscard]] QAccessible::State state() const override {
        QAccessible::State state = QAccessibleWidget::state();
        state.focusable = widget()->focusPolicy() != Qt::NoFocus;
        state.focused = widget()->hasFocus();
        return state;
    }

    void forgetItems() {
        for (const auto& [item, id] : m_children) {
            QAccessible::deleteAccessibleInterface(id);
        }
        m_children.clear();
    }

private:
    PictureItems* m_items;
    mutable std::map<int, QAccessible::Id> m_children;
};

bool ItemInterface::isValid() const {
    return m_item < m_picture->items().itemCount();
}

QWindow* ItemInterface::window() const {
    return m_picture->window();
}

QAccessibleInterface* ItemInterface::parent() const {
    return m_picture;
}

QString ItemInterface::text(QAccessible::Text kind) const {
    if (!isValid()) {
        return {};
    }
    switch (kind) {
    case QAccessible::Name:
        return m_picture->items().itemName(m_item);
    case QAccessible::Description:
        return m_picture->items().itemDescription(m_item);
    default:
        return {};
    }
}

QRect ItemInterface::rect() const {
    const QRect inCanvas = isValid() ? m_picture->items().itemRect(m_item) : QRect();
    return inCanvas.isEmpty() ? QRect()
                              : QRect(m_picture->canvas()->mapToGlobal(inCanvas.topLeft()), inCanvas.size());
}

QAccessible::State ItemInterface::state() const {
    QAccessible::State state;
    state.selectable = true;
    state.focusable = true;
    state.selected = isValid() && m_picture->items().isPicked(m_item);
    state.active = isValid() && m_picture->items().currentItem() == m_item;
    state.focused = state.active && m_picture->canvas()->hasFocus();
    state.offscreen = !isValid() || m_picture->items().itemRect(m_item).isEmpty();
    state.invalid = !isValid();
    return state;
}

void ItemInterface::doAction(const QString& name) {
    if (name == pressAction() && isValid()) {
        m_picture->items().chooseItem(m_item);
    }
}

QAccessibleInterface* makePictureInterface(const QString&, QObject* object) {
    auto* const widget = qobject_cast<QWidget*>(object);
    auto* const items = dynamic_cast<PictureItems*>(widget);
    return items != nullptr ? new PictureInterface(widget, items) : nullptr;
}

PictureInterface* tryInterface(QWidget* canvas) {
    return dynamic_cast<PictureInterface*>(QAccessible::queryAccessibleInterface(canvas));
}

} // namespace

void describePictures() {
    // Qt registers a factory only once, however often it is installed.
    QAccessible::installFactory(makePictureInterface);
}

void currentItemChanged(QWidget* canvas) {
    const PictureInterface* const picture = tryInterface(canvas);
    const std::optional<int> item = picture ? picture->items().currentItem() : std::nullopt;
    if (item) {
        QAccessibleEvent selected(canvas, QAccessible::SelectionAdd);
        selected.setChild(*item);
        QAccessible::updateAccessibility(&selected);
        if (canvas->hasFocus()) {
            QAccessibleEvent focused(canvas, QAccessible::Focus);
            focused.setChild(*item);
            QAccessible::updateAccessibility(&focused);
        }
    }
}

void pictureChanged(QWidget* canvas) {
    if (PictureInterface* const picture = tryInterface(canvas)) {
        picture->forgetItems();
        QAccessibleEvent changed(canvas, QAccessible::ObjectReorder);
        QAccessible::updateAccessibility(&changed);
    }
}

} // namespace aotscope::views
