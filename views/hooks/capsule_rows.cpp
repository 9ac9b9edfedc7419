#include "hooks/capsule_rows.h"

#include "common/format.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace aotscope::views {

namespace {

using ErrorsByName = std::unordered_map<std::string_view, HookMeasure>;

ErrorsByName errorsOf(const session::HookErrorsSnapshotPtr& measured) {
    ErrorsByName byName;
    if (measured) {
        const auto& hooks = measured->errors.hooks;
        for (std::size_t i = 0; i < hooks.size(); ++i) {
            HookMeasure measure{hooks[i], std::nullopt};
            if (i < measured->peaksAlone.size()) {
                measure.peakAlone = measured->peaksAlone[i];
            }
            byName.emplace(hooks[i].saved, measure);
        }
    }
    return byName;
}

/// The text of the hook that a tensor had in that partition; the name of one without a text.
std::string hookText(const session::PartitionSnapshot& split, const session::HookedTensor& tensor) {
    static const hooks::HookPlan none;
    const hooks::HookPlan& plan = split.choices.hooks ? *split.choices.hooks : none;
    const auto text = plan.tryText(tensor.hook);
    return text ? std::string(*text) : tensor.hook;
}

/// What was measured may be shown of a tensor if its hook was the same then: what a hook does alone does not
/// depend on the others.
class Measured {
public:
    explicit Measured(const session::HookErrorsSnapshotPtr& measured)
        : m_measured(measured), m_errors(errorsOf(measured)) {
        if (measured && measured->split->hooks) {
            for (const session::HookedTensor& tensor : measured->split->hooks->tensors) {
                m_tensors.emplace(tensor.saved, &tensor);
            }
        }
    }

    [[nodiscard]] const HookMeasure* tryFind(const session::PartitionSnapshot& now,
                                             const session::HookedTensor& tensor) const {
        const auto error = m_errors.find(tensor.saved);
        const auto then = m_tensors.find(tensor.saved);
        const bool isSame = error != m_errors.end() && then != m_tensors.end() &&
                            (m_measured->split.get() == &now ||
                             hookText(*m_measured->split, *then->second) == hookText(now, tensor));
        return isSame ? &error->second : nullptr;
    }
    [[nodiscard]] const session::HookErrorsSnapshotPtr& snapshot() const { return m_measured; }
    [[nodiscard]] bool isOf(const session::PartitionSnapshot& split) const {
        return m_measured && m_measured->split->choices == split.choices;
    }

private:
    session::HookErrorsSnapshotPtr m_measured;
    ErrorsByName m_errors;
    std::unordered_map<std::string_view, const session::HookedTensor*> m_tensors;
};

void addMeasured(Capsule& capsule, const session::PartitionSnapshot& split, const Measured& latest,
                 const Measured& whole) {
    const HookMeasure* value = latest.tryFind(split, *capsule.hooked);
    const HookMeasure* alone = whole.tryFind(split, *capsule.hooked);
    if (value == nullptr) {
        value = alone;
    }
    if (value != nullptr) {
        capsule.failure = text(value->error.failure);
        if (capsule.failure.isEmpty()) {
            capsule.error = value->error.value;
        }
    }
    if (alone != nullptr && alone->error.failure.empty()) {
        capsule.worstGradient = session::worstError(alone->error.gradients);
        if (alone->peakAlone) {
            capsule.peakFall = whole.snapshot()->split->hooks->profileBefore->peak.bytes - *alone->peakAlone;
        }
        capsule.isOlder = !whole.isOf(split);
    }
}

} // namespace

QString Capsule::typesText() const {
    QString words = text(saved->dtype);
    if (!hasHook()) {
        return words;
    }
    QStringList packed;
    for (const session::PackedValue& value : hooked->packed) {
        const bool isSameShape = value.shape == saved->shape;
        packed.append(value.dtype.empty()
                          ? text(value.name)
                          : text(value.dtype) + (isSameShape ? QString() : text(value.shape)));
    }
    return words + QStringLiteral(" → ") + packed.join(QStringLiteral(", "));
}

QString Capsule::whyNot() const {
    return hooked != nullptr && hooked->hook.empty() ? text(hooked->why) : QString();
}

std::vector<Capsule> capsulesOf(const CapsuleSource& source) {
    std::vector<Capsule> capsules;
    if (!source.split) {
        return capsules;
    }
    const session::PartitionSnapshot& split = *source.split;
    std::unordered_map<std::string_view, const session::HookedTensor*> hooked;
    std::unordered_set<std::string_view> broken;
    if (split.hooks) {
        for (const session::HookedTensor& tensor : split.hooks->tensors) {
            hooked.emplace(tensor.saved, &tensor);
        }
        for (const hooks::BrokenHook& hook : split.hooks->broken) {
            broken.insert(hook.tensors.begin(), hook.tensors.end());
        }
    }
    const Measured latest(source.latest);
    const Measured whole(source.whole);
    for (const session::SavedTensor& saved : split.saved) {
        if (saved.dtype.empty()) {
            continue;
        }
        Capsule capsule;
        capsule.saved = &saved;
        capsule.isBroken = broken.contains(saved.name);
        if (const auto found = hooked.find(saved.name); found != hooked.end()) {
            capsule.hooked = found->second;
        }
        if (capsule.hasHook()) {
            addMeasured(capsule, split, latest, whole);
        }
        capsules.push_back(std::move(capsule));
    }
    return capsules;
}

} // namespace aotscope::views
