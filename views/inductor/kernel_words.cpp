#include "inductor/kernel_words.h"

#include "common/format.h"
#include "common/html.h"
#include "inductor/generated_kernel_model.h"

#include <algorithm>
#include <array>
#include <set>

namespace aotscope::views {

namespace {

/// A list of that many is read; of more only the number.
constexpr std::size_t mostListed = 60;

QString lineLink(std::size_t line) {
    return html::link(QStringLiteral("line"), QString::number(line), QString::number(line));
}

QString launchLines(const inductor::OutputCode& code, const inductor::Kernel& kernel) {
    QStringList lines;
    for (const std::uint32_t launch : kernel.launches) {
        const inductor::Launch& call = code.launches[launch];
        QString words = lineLink(call.range.firstLine);
        if (!call.grid.empty()) {
            words += QStringLiteral(" (") + html::escaped(call.grid) + QStringLiteral(")");
        }
        lines << words;
    }
    return lines.join(QStringLiteral(", "));
}

QString sourceLines(const inductor::GeneratedCode& code, const inductor::Kernel& kernel) {
    QStringList lines;
    std::set<std::pair<std::string, int>> seen;
    for (const std::uint32_t launch : kernel.launches) {
        if (launch >= code.links.launches.size()) {
            continue;
        }
        for (const inductor::SourceLink& link : code.links.launches[launch].sources) {
            if (seen.emplace(link.source.file, link.source.line).second) {
                const QString place =
                    fileNameOf(link.source.file) + QStringLiteral(":") + QString::number(link.source.line);
                lines << (link.backwardOfForward ? QObject::tr("backward of ") : QString()) +
                             html::link(QStringLiteral("source"),
                                        text(link.source.file) + QStringLiteral(":") +
                                            QString::number(link.source.line),
                                        place.toHtmlEscaped()) +
                             QStringLiteral("  ") + html::escaped(link.source.code);
            }
        }
    }
    return lines.join(QStringLiteral("<br>"));
}

QString nodeLines(const inductor::GeneratedCode& code, std::uint32_t kernel) {
    QStringList lines;
    const std::vector<ir::NodeId> nodes = nodesOfKernel(code, kernel);
    for (std::size_t place = 0; place < std::min(nodes.size(), mostListed); ++place) {
        inductor::EvidenceSet evidence = 0;
        for (const std::uint32_t launch : code.code.kernels[kernel].launches) {
            for (const inductor::NodeLink& link : code.links.launches[launch].nodes) {
                evidence = static_cast<inductor::EvidenceSet>(
                    evidence | (link.node == nodes[place] ? link.evidence : inductor::EvidenceSet()));
            }
        }
        const ir::Node& node = code.graph->node(nodes[place]);
        lines << html::link(QStringLiteral("node"), text(node.name), html::escaped(node.name)) +
                     QStringLiteral("  ") + html::escaped(node.target) + QStringLiteral("  ·  ") +
                     html::escaped(inductor::evidenceText(evidence));
    }
    if (nodes.size() > mostListed) {
        lines << QObject::tr("… and %1 more").arg(nodes.size() - mostListed);
    }
    return lines.join(QStringLiteral("<br>"));
}

QString factWords(const inductor::Kernel& kernel) {
    // What says something about speed and size; the rest is in the code.
    constexpr std::array wanted = {"size_hints",    "xnumel",           "ynumel",     "znumel",
                                   "rnumel",        "r0_numel",         "num_load",   "num_store",
                                   "num_reduction", "num_warps",        "num_stages", "reduction_hint",
                                   "kernel_num_gb", "mutated_arg_names"};
    QStringList words;
    for (const char* name : wanted) {
        if (const std::string_view value = kernel.fact(name); !value.empty()) {
            words << QString::fromLatin1(name) + QStringLiteral(" ") + html::escaped(std::string(value));
        }
    }
    return words.join(QStringLiteral(", "));
}

} // namespace

QString kernelWords(const inductor::GeneratedCode& code, std::uint32_t kernel, const Theme& theme) {
    const inductor::Kernel& shown = code.code.kernels[kernel];
    html::Facts facts(theme);
    facts.addCode(QObject::tr("kernel"), html::escaped(shown.name));
    facts.add(QObject::tr("kind"), html::escaped(std::string(base::wordOf(shown.kind))));
    facts.addCode(QObject::tr("facts"), factWords(shown));
    facts.add(QObject::tr("launched at line"), launchLines(code.code, shown));
    facts.addCode(QObject::tr("source lines"), sourceLines(code, shown));
    facts.addCode(QObject::tr("nodes"), code.graph ? nodeLines(code, kernel) : QString());
    for (const std::uint32_t launch : shown.launches) {
        if (launch < code.links.launches.size() && !code.links.launches[launch].unlinked.empty()) {
            facts.add(QObject::tr("without nodes"), html::escaped(code.links.launches[launch].unlinked));
            break;
        }
    }
    return facts.html();
}

QString unlinkedWords(const inductor::GeneratedCode& code, const Theme& theme) {
    html::Facts facts(theme);
    for (std::size_t launch = 0; launch < code.links.launches.size(); ++launch) {
        const std::string& reason = code.links.launches[launch].unlinked;
        if (!reason.empty()) {
            const inductor::Launch& call = code.code.launches[launch];
            facts.add(html::escaped(code.code.kernels[call.kernel].name),
                      lineLink(call.range.firstLine) + QStringLiteral("  ") + html::escaped(reason));
        }
    }
    for (const inductor::NodeFate fate :
         {inductor::NodeFate::Unknown, inductor::NodeFate::Dead, inductor::NodeFate::Constant,
          inductor::NodeFate::View, inductor::NodeFate::Element, inductor::NodeFate::Size}) {
        QStringList names;
        std::size_t count = 0;
        for (const ir::NodeId node : code.graph ? code.graph->order() : std::span<const ir::NodeId>()) {
            if (code.links.fates[node.index()] == fate && ++count <= mostListed) {
                const std::string& name = code.graph->node(node).name;
                names << html::link(QStringLiteral("node"), text(name), html::escaped(name));
            }
        }
        if (count > 0) {
            facts.add(html::escaped(std::string(base::wordOf(fate))),
                      names.join(QStringLiteral(", ")) +
                          (count > mostListed ? QStringLiteral(" …") : QString()));
        }
    }
    for (const std::string& disagreement : code.links.disagreements) {
        facts.add(QObject::tr("disagreement"), html::escaped(disagreement));
    }
    for (const inductor::CodeProblem& problem : code.code.problems) {
        facts.add(QObject::tr("line %1").arg(problem.line), html::escaped(problem.message));
    }
    for (const std::string& note : code.notes) {
        facts.add(QObject::tr("note"), html::escaped(note));
    }
    return facts.html();
}

} // namespace aotscope::views
