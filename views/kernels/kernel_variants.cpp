#include "kernels/kernel_variants.h"

#include <algorithm>

namespace aotscope::views {

std::vector<KernelVariant> KernelVariants::of(const QString& kernel) const {
    std::vector<KernelVariant> found;
    std::ranges::copy_if(m_all, std::back_inserter(found),
                         [&](const KernelVariant& variant) { return variant.kernel == kernel; });
    return found;
}

QString KernelVariants::add(const QString& kernel, const QString& source) {
    const std::vector<KernelVariant> known = of(kernel);
    std::size_t number = known.size() + 1;
    const auto isTaken = [&](const KernelVariant& variant) {
        return variant.name == tr("variant %1").arg(number);
    };
    while (std::ranges::any_of(known, isTaken)) {
        ++number;
    }
    m_all.push_back({kernel, tr("variant %1").arg(number), source});
    QString name = m_all.back().name;
    if (m_all.size() > mostVariants) {
        m_all.erase(m_all.begin());
    }
    Q_EMIT changed();
    return name;
}

void KernelVariants::remove(const QString& kernel, const QString& name) {
    std::erase_if(m_all, [&](const KernelVariant& variant) {
        return variant.kernel == kernel && variant.name == name;
    });
    Q_EMIT changed();
}

QStringList KernelVariants::toTexts() const {
    QStringList texts;
    for (const KernelVariant& variant : m_all) {
        texts << variant.kernel << variant.name << variant.source;
    }
    return texts;
}

void KernelVariants::setTexts(const QStringList& texts) {
    m_all.clear();
    for (qsizetype i = 0; i + 2 < texts.size() && m_all.size() < mostVariants; i += 3) {
        if (!texts[i].isEmpty() && !texts[i + 1].isEmpty()) {
            m_all.push_back({texts[i], texts[i + 1], texts[i + 2]});
        }
    }
    Q_EMIT changed();
}

} // namespace aotscope::views
