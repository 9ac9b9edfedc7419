#include "ir/compare/graph_match.h"

#include "base/joined.h"
#include "ir/bodies.h"
#include "ir/compare/graph_diff.h"
#include "ir/keywords.h"
#include "ir/text/descriptor_text.h"
#include "ir/text/printer.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace aotscope::ir::detail {
namespace {

constexpr std::size_t longestText = 120;
constexpr std::size_t mostElements = 8;

std::string shortened(std::string text) {
    if (text.size() > longestText) {
        text.resize(longestText);
        text += "...";
    }
    return text;
}

std::string change(std::string_view what, std::string_view before, std::string_view after) {
    return std::string(what) + ": " + shortened(std::string(before)) + " → " + shortened(std::string(after));
}

class NodeComparison {
public:
    NodeComparison(const Graph& left, const Graph& right, const Matching& matching)
        : m_left(left), m_right(right), m_matching(matching) {}

    std::vector<std::string> run(NodeId leftNode, NodeId rightNode) {
        const Node& a = m_left.node(leftNode);
        const Node& b = m_right.node(rightNode);
        compareTargets(a, b);
        compareArguments(a, b);
        compareValues("", a.value, b.value);
        compareMetadata(a, b);
        return std::move(m_details);
    }

private:
    void compareTargets(const Node& a, const Node& b) {
        if (a.op != b.op) {
            add("op", base::wordOf(a.op), base::wordOf(b.op));
        }
        const GraphPtr body = bodyOf(m_left, a);
        const GraphPtr other = bodyOf(m_right, b);
        if (body && other) {
            compareSubgraphs(a.target, *body, *other);
            return;
        }
        const bool named = a.op == b.op && (a.op == Opcode::Placeholder || a.op == Opcode::Output);
        if (!named && a.target != b.target) {
            add("target", a.target, b.target);
        }
    }

    void compareSubgraphs(const std::string& name, const Graph& body, const Graph& other) {
        const GraphDiff diff = diffGraphs(body, other);
        const auto renamed =
            std::count_if(diff.differences.begin(), diff.differences.end(), [](const NodeDifference& entry) {
                return entry.kind == NodeDifference::Kind::Renamed;
            });
        const std::size_t count = diff.differences.size() - static_cast<std::size_t>(renamed);
        if (count > 0) {
            m_details.push_back("graph " + name + ": " + std::to_string(count) +
                                (count == 1 ? " difference" : " differences"));
        }
    }

    void compareArguments(const Node& a, const Node& b) {
        for (std::size_t i = 0; i < std::max(a.args.size(), b.args.size()); ++i) {
            const std::string what = "argument " + std::to_string(i);
            compareOptional(what, i < a.args.size() ? &a.args[i] : nullptr,
                            i < b.args.size() ? &b.args[i] : nullptr);
        }
        for (const KeywordArgument& keyword : a.kwargs) {
            compareOptional("argument " + keyword.name, &keyword.value, tryKeyword(b.kwargs, keyword.name));
        }
        for (const KeywordArgument& keyword : b.kwargs) {
            if (tryKeyword(a.kwargs, keyword.name) == nullptr) {
                compareOptional("argument " + keyword.name, nullptr, &keyword.value);
            }
        }
    }

    void compareOptional(const std::string& what, const Argument* a, const Argument* b) {
        if (a != nullptr && b != nullptr) {
            compareArgument(what, *a, *b);
        } else {
            add(what, a == nullptr ? "absent" : argumentText(m_left, *a),
                b == nullptr ? "absent" : argumentText(m_right, *b));
        }
    }

    void compareArgument(const std::string& what, const Argument& a, const Argument& b) {
        if (same(a, b)) {
            return;
        }
        const Arguments* items = itemsOf(a);
        const Arguments* others = itemsOf(b);
        const bool lists = items != nullptr && others != nullptr && a.value.index() == b.value.index();
        if (!lists) {
            add(what, argumentText(m_left, a), argumentText(m_right, b));
        } else if (items->size() != others->size()) {
            compareLengths(what, *items, *others);
        } else {
            compareItems(what, *items, *others);
        }
    }

    void compareItems(const std::string& what, const Arguments& items, const Arguments& others) {
        std::size_t shown = 0;
        std::size_t differing = 0;
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (!same(items[i], others[i])) {
                ++differing;
                if (shown < mostElements) {
                    ++shown;
                    compareArgument(what + '[' + std::to_string(i) + ']', items[i], others[i]);
                }
            }
        }
        if (differing > shown) {
            m_details.push_back(what + ": " + std::to_string(differing - shown) + " further items differ");
        }
    }

    /// Lists of different length: what one has and the other lacks, for that is what moved the rest.
    void compareLengths(const std::string& what, const Arguments& items, const Arguments& others) {
        std::string text =
            what + ": " + std::to_string(items.size()) + " → " + std::to_string(others.size()) + " items";
        std::size_t begin = 0;
        std::size_t end = items.size();
        std::size_t otherEnd = others.size();
        while (begin < end && begin < otherEnd && same(items[begin], others[begin])) {
            ++begin;
        }
        while (end > begin && otherEnd > begin && same(items[end - 1], others[otherEnd - 1])) {
            --end;
            --otherEnd;
        }
        std::vector<bool> taken(otherEnd, false);
        std::string lost;
        std::string gained;
        for (std::size_t i = begin; i < end && lost.size() < longestText; ++i) {
            std::size_t at = begin;
            while (at < otherEnd && (taken[at] || !same(items[i], others[at]))) {
                ++at;
            }
            if (at < otherEnd) {
                taken[at] = true;
            } else {
                lost += (lost.empty() ? "" : ", ") + argumentText(m_left, items[i]);
            }
        }
        for (std::size_t at = begin; at < otherEnd && gained.size() < longestText; ++at) {
            if (!taken[at]) {
                gained += (gained.empty() ? "" : ", ") + argumentText(m_right, others[at]);
            }
        }
        text += lost.empty() ? "" : ", without " + shortened(lost);
        text += gained.empty() ? "" : ", with " + shortened(gained);
        m_details.push_back(std::move(text));
    }

    /// Equality through the matching.
    [[nodiscard]] bool same(const Argument& left, const Argument& right) const {
        return equalArguments(
            left, right, std::bind_front(&NodeComparison::sameNode, this),
            [](const auto& a, const auto& b) { return !a.nodes.empty() || a.text == b.text; });
    }

    [[nodiscard]] bool sameNode(NodeId a, NodeId b) const {
        return a.index() < m_matching.ofLeft.size() && m_matching.ofLeft[a.index()] == b;
    }

    void compareValues(const std::string& prefix, const ValueMeta& a, const ValueMeta& b) {
        if (std::holds_alternative<std::monostate>(a) || std::holds_alternative<std::monostate>(b)) {
            return;
        }
        const TensorMeta* tensor = asTensor(a);
        const TensorMeta* otherTensor = asTensor(b);
        if (tensor != nullptr && otherTensor != nullptr) {
            compareTensors(prefix, *tensor, *otherTensor);
            return;
        }
        const auto* tuple = std::get_if<std::shared_ptr<const TupleMeta>>(&a);
        const auto* otherTuple = std::get_if<std::shared_ptr<const TupleMeta>>(&b);
        const bool alike = tuple != nullptr && otherTuple != nullptr &&
                           (*tuple)->elements.size() == (*otherTuple)->elements.size();
        if (alike) {
            for (std::size_t i = 0; i < (*tuple)->elements.size(); ++i) {
                compareValues(prefix + "element " + std::to_string(i) + ' ', (*tuple)->elements[i],
                              (*otherTuple)->elements[i]);
            }
        } else if (!equalValues(a, b)) {
            add(prefix + "value", valueText(a), valueText(b));
        }
    }

    static std::string sizesText(const SymInts& sizes) { return "[" + base::joined(sizes) + ']'; }

    static std::string_view yesNo(bool value) { return value ? "yes" : "no"; }

    void compareTensors(const std::string& prefix, const TensorMeta& a, const TensorMeta& b) {
        if (a.dtype != b.dtype) {
            add(prefix + "dtype", dtypeName(a.dtype), dtypeName(b.dtype));
        }
        if (a.shape != b.shape) {
            add(prefix + "shape", sizesText(a.shape), sizesText(b.shape));
        }
        compareKnown(prefix + "stride", a.stride, b.stride, sizesText);
        compareKnown(prefix + "storage offset", a.storageOffset, b.storageOffset, &SymInt::text);
        compareKnown(prefix + "device", a.device, b.device, &Device::text);
        compareKnown(prefix + "requires grad", a.requiresGrad, b.requiresGrad, yesNo);
        compareOr("strided", prefix + "layout", a.layout, b.layout);
        const std::string className = a.subclass ? a.subclass->className : "Tensor";
        const std::string otherClass = b.subclass ? b.subclass->className : "Tensor";
        if (className != otherClass) {
            add(prefix + "class", className, otherClass);
        } else if (a.subclass && a.subclass->inner.size() == b.subclass->inner.size()) {
            for (std::size_t i = 0; i < a.subclass->inner.size(); ++i) {
                const auto& [name, inner] = a.subclass->inner[i];
                compareTensors(prefix + "inner " + name + ' ', inner, b.subclass->inner[i].second);
            }
        }
    }

    void compareMetadata(const Node& a, const Node& b) {
        compareKnown("original operator", a.originalAten, b.originalAten);
        compareKnown("module", a.modulePath, b.modulePath);
        compareKnown("input", a.inputSource, b.inputSource);
        // An output's descriptors follow what it returns, which was compared already.
        if (a.op == Opcode::Placeholder && a.descriptors.size() == 1 && b.descriptors.size() == 1 &&
            a.descriptors[0].isStated() && b.descriptors[0].isStated()) {
            compareKnown("descriptor", descriptorText(a.descriptors[0]), descriptorText(b.descriptors[0]));
        }
        if (a.origin && b.origin) {
            compareKnown("source", a.origin->source, b.origin->source, sourceText);
            compareOr("none", "recompute", a.origin->recompute, b.origin->recompute);
            compareOr("none", "annotation", a.origin->annotation, b.origin->annotation);
        }
    }

    static std::string sourceText(const SourceLocation& source) {
        return source.file + ':' + std::to_string(source.line) + " " + source.code;
    }

    void compareKnown(std::string_view what, const std::string& a, const std::string& b) {
        if (!a.empty() && !b.empty() && a != b) {
            add(what, a, b);
        }
    }

    template<typename T, typename TextOf>
    void compareKnown(std::string_view what, const std::optional<T>& a, const std::optional<T>& b,
                      const TextOf& textOf) {
        if (a && b && !(*a == *b)) {
            add(what, std::invoke(textOf, *a), std::invoke(textOf, *b));
        }
    }

    /// `standard`: what an empty text stands for.
    void compareOr(std::string_view standard, std::string_view what, const std::string& a,
                   const std::string& b) {
        if (a != b) {
            add(what, a.empty() ? standard : a, b.empty() ? standard : b);
        }
    }

    void add(std::string_view what, std::string_view before, std::string_view after) {
        m_details.push_back(change(what, before, after));
    }

    const Graph& m_left;
    const Graph& m_right;
    const Matching& m_matching;
    std::vector<std::string> m_details;
};

} // namespace

std::vector<std::string> compareNodes(const Graph& left, const Graph& right, const Matching& matching,
                                      NodeId leftNode, NodeId rightNode) {
    return NodeComparison(left, right, matching).run(leftNode, rightNode);
}

} // namespace aotscope::ir::detail
