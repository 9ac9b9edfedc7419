#include "inductor/generated_kernel_model.h"

#include "common/format.h"
#include "common/plain_words.h"
#include "common/theme.h"

#include <algorithm>

namespace aotscope::views {

std::vector<ir::NodeId> nodesOfKernel(const inductor::GeneratedCode& code, std::uint32_t kernel) {
    std::vector<ir::NodeId> nodes;
    for (const std::uint32_t launch : code.code.kernels[kernel].launches) {
        if (launch < code.links.launches.size()) {
            for (const inductor::NodeLink& link : code.links.launches[launch].nodes) {
                nodes.push_back(link.node);
            }
        }
    }
    if (code.graph) {
        std::sort(nodes.begin(), nodes.end(), [&](ir::NodeId left, ir::NodeId right) {
            return code.graph->position(left) < code.graph->position(right);
        });
        nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    }
    return nodes;
}

GeneratedKernelModel::GeneratedKernelModel(const ThemeSource* theme, QObject* parent)
    : QAbstractTableModel(parent), m_theme(theme), m_code(codeFont()), m_bold(codeFont()) {
    m_bold.setBold(true);
}

void GeneratedKernelModel::setCode(const inductor::GeneratedCode* code) {
    beginResetModel();
    m_generated = code;
    m_kernels.clear();
    m_nodeCounts.clear();
    m_marked.clear();
    if (code != nullptr) {
        for (std::uint32_t kernel = 0; kernel < code->code.kernels.size(); ++kernel) {
            m_kernels.push_back(kernel);
            m_nodeCounts.push_back(nodesOfKernel(*code, kernel).size());
        }
        std::stable_sort(m_kernels.begin(), m_kernels.end(), [&](std::uint32_t left, std::uint32_t right) {
            const auto first = [&](std::uint32_t kernel) {
                const std::vector<std::uint32_t>& launches = code->code.kernels[kernel].launches;
                return launches.empty() ? UINT32_MAX : launches.front();
            };
            return first(left) < first(right);
        });
    }
    endResetModel();
}

void GeneratedKernelModel::setMarked(std::vector<std::uint32_t> kernels) {
    m_marked = std::move(kernels);
    if (rowCount() > 0) {
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    }
}

bool GeneratedKernelModel::isMarked(std::uint32_t kernel) const {
    return std::find(m_marked.begin(), m_marked.end(), kernel) != m_marked.end();
}

int GeneratedKernelModel::rowOf(std::uint32_t kernel) const {
    const auto found = std::find(m_kernels.begin(), m_kernels.end(), kernel);
    return found == m_kernels.end() ? -1 : static_cast<int>(found - m_kernels.begin());
}

int GeneratedKernelModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_kernels.size());
}

int GeneratedKernelModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QString GeneratedKernelModel::textOf(std::uint32_t kernel, int column) const {
    const inductor::Kernel& shown = m_generated->code.kernels[kernel];
    switch (column) {
    case Name:
        // The mark is a sign and not only a weight of the font.
        return (isMarked(kernel) ? QStringLiteral("▸ ") : QString()) + text(shown.name);
    case Kind:
        return text(std::string(base::wordOf(shown.kind)));
    case Launches:
        return formatCount(shown.launches.size());
    case Nodes:
        return m_generated->graph ? formatCount(m_nodeCounts[kernel]) : QString();
    default:
        return {};
    }
}

QVariant GeneratedKernelModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || m_generated == nullptr) {
        return {};
    }
    const std::uint32_t kernel = kernelOf(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return textOf(kernel, index.column());
    case Qt::ToolTipRole:
        return index.column() == Name ? QVariant(plainToolTip(text(m_generated->code.kernels[kernel].name)))
                                      : QVariant();
    case Qt::TextAlignmentRole:
        return index.column() >= Launches ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    case Qt::FontRole:
        return index.column() == Kind ? QVariant() : QVariant(isMarked(kernel) ? m_bold : m_code);
    case Qt::ForegroundRole:
        if (index.column() == Nodes && m_nodeCounts[kernel] == 0) {
            return m_theme->theme().warning;
        }
        return index.column() == Kind ? QVariant(m_theme->theme().dimText) : QVariant();
    default:
        return {};
    }
}

QVariant GeneratedKernelModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::TextAlignmentRole && section >= Launches) {
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    const QString titles[ColumnCount] = {tr("Kernel"), tr("Kind"), tr("Launches"), tr("Nodes")};
    return section < ColumnCount ? QVariant(titles[section]) : QVariant();
}

} // namespace aotscope::views
