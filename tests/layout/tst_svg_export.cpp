#include "layout/export.h"
#include "layout/graphs.h"

#include <doctest/doctest.h>

#include <cctype>
#include <optional>
#include <string_view>
#include <vector>

using namespace aotscope;
using namespace aotscope::layout;
using namespace aotscope::layout::test;

namespace {

/// A strict check of the XML that our documents use: elements nest and close, attributes are quoted, text has
/// no bare "<" or "&", characters are allowed and valid UTF-8. Returns the first violation, if any.
std::optional<std::string> xmlFault(std::string_view text) {
    std::vector<std::string_view> open;
    bool sawRoot = false;
    const auto entityAt = [&](std::size_t i) {
        for (const std::string_view entity : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"}) {
            if (text.substr(i).starts_with(entity)) {
                return true;
            }
        }
        return false;
    };
    for (std::size_t i = 0; i < text.size();) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte < 0x20 && byte != '\n') {
            return "control character";
        }
        if (byte >= 0x80) {
            const std::size_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
            if (byte < 0xc2 || byte > 0xf4 || i + length > text.size()) {
                return "invalid UTF-8";
            }
            for (std::size_t k = 1; k < length; ++k) {
                if ((static_cast<unsigned char>(text[i + k]) & 0xc0U) != 0x80U) {
                    return "invalid UTF-8";
                }
            }
            i += length;
            continue;
        }
        if (byte == '&' && !entityAt(i)) {
            return "bare &";
        }
        if (byte != '<') {
            ++i;
            continue;
        }
        if (open.empty() && sawRoot) {
            return "content after the root";
        }
        std::size_t end = i + 1;
        char quote = 0;
        for (; end < text.size() && (quote != 0 || text[end] != '>'); ++end) {
            if (text[end] == '<') {
                return "< in a tag";
            }
            if (text[end] == '&' && !entityAt(end)) {
                return "bare & in a tag";
            }
            if (quote != 0 && text[end] == quote) {
                quote = 0;
            } else if (quote == 0 && (text[end] == '"' || text[end] == '\'')) {
                quote = text[end];
            }
        }
        if (end >= text.size()) {
            return "tag without an end";
        }
        const std::string_view tag = text.substr(i + 1, end - i - 1);
        i = end + 1;
        if (tag.starts_with("?")) {
            continue;
        }
        std::size_t nameEnd = tag.starts_with("/") ? 1 : 0;
        while (nameEnd < tag.size() && std::isalnum(static_cast<unsigned char>(tag[nameEnd])) != 0) {
            ++nameEnd;
        }
        if (tag.starts_with("/")) {
            if (open.empty() || open.back() != tag.substr(1, nameEnd - 1)) {
                return "wrong closing tag " + std::string(tag);
            }
            open.pop_back();
            sawRoot = sawRoot || open.empty();
        } else if (!tag.ends_with("/")) {
            open.push_back(tag.substr(0, nameEnd));
        }
    }
    if (!open.empty()) {
        return "unclosed " + std::string(open.back());
    }
    return sawRoot ? std::nullopt : std::optional<std::string>("no root");
}

std::string drawn(const ir::Graph& graph, const ir::ModulePaths& modules,
                  const std::vector<ir::NodeId>& selection = {}) {
    const auto layout = computeLayout(graph, modules, {});
    REQUIRE(layout.ok());
    return toSvg(graph, **layout, boxCategories(**layout, nodeCategories(graph)), selection);
}

/// The given fates, and `BackwardOnly` for what is in the backward.
ir::NodeFates backwardOf(const ir::Graph& graph, ir::NodeFates fates) {
    const std::vector<ir::Phase> phases = ir::nodePhases(graph);
    for (const ir::NodeId node : graph.order()) {
        if (phases[node.index()] == ir::Phase::Backward) {
            fates[node.index()] = ir::NodeFate::BackwardOnly;
        }
    }
    return fates;
}

std::size_t countOf(std::string_view text, std::string_view part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
        ++count;
    }
    return count;
}

} // namespace

TEST_CASE("the checker of XML finds faults") {
    CHECK_FALSE(xmlFault("<?xml version=\"1.0\"?>\n<a><b c=\"d\"/>e &amp; f</a>\n").has_value());
    for (const std::string_view bad :
         {"<a>", "<a></b>", "<a>&</a>", "<a b=\"<\"/>", "<a>\x01</a>", "<a>\xff</a>", "text", "<a/"}) {
        CAPTURE(bad);
        CHECK(xmlFault(bad).has_value());
    }
}

TEST_CASE("the SVG document is well formed and shows every box, frame and edge") {
    const Chain chain = jointChain(8, 4);
    const std::string svg = drawn(*chain.graph, chain.modules);
    CHECK(xmlFault(svg).value_or("") == "");
    CHECK(countOf(svg, "class=\"box\"") == chain.graph->size());
    CHECK(countOf(svg, "class=\"frame\"") == 6);
    // Without a partition nothing is known to be saved.
    CHECK(countOf(svg, "class=\"saved\"") == 0);
    CHECK(countOf(svg, "class=\"ring\"") == 0);
    for (const ir::NodeId id : chain.forward) {
        CHECK(svg.find(">" + chain.graph->node(id).name + "</text>") != std::string::npos);
    }
}

TEST_CASE("a split is marked: bands as wide as what is saved, a sign on what is computed again") {
    const Chain chain = jointChain(8, 4);
    const auto layout = computeLayout(*chain.graph, chain.modules, {});
    REQUIRE(layout.ok());
    ir::NodeFates fates(chain.graph->idBound(), ir::NodeFate::Removed);
    for (const ir::NodeId id : chain.forward) {
        fates[id.index()] = ir::NodeFate::Saved;
    }
    fates[chain.forward[2].index()] = ir::NodeFate::Recomputed;
    fates = backwardOf(*chain.graph, std::move(fates));
    const SplitFacts facts = splitFacts(*chain.graph, std::move(fates));
    const SplitMarks marks = splitMarks(*chain.graph, **layout, facts);
    CHECK(marks.recomputedNodes == 1);
    CHECK(marks.recomputed[(*layout)->boxOfNode[chain.forward[2].index()].index()]);
    CHECK(marks.saved.size() == 7);
    CHECK(marks.bands.size() >= 7);
    CHECK(marks.againValues == 1);
    for (std::size_t i = 0; i < (*layout)->edges.size(); ++i) {
        const Edge& edge = (*layout)->edges[i];
        const bool again = (*layout)->boxes[edge.from.index()].node == chain.forward[2];
        if (edge.kind == EdgeKind::Saved) {
            CHECK(marks.edges[i] == (again ? EdgeMark::Again : EdgeMark::Banded));
        }
    }
    const std::vector<Category> categories =
        nodeCategories({.graph = chain.graph.get(), .isJoint = true, .split = &facts});
    const std::string svg = toSvg(*chain.graph, **layout, boxCategories(**layout, categories), {}, &marks);
    CHECK(xmlFault(svg).value_or("") == "");
    CHECK(countOf(svg, "class=\"saved\"") == marks.bands.size());
    CHECK(countOf(svg, "class=\"port\"") == 7);
    CHECK(svg.find(">saved for the backward: 7 values, ") != std::string::npos);
    // The edge that carries nothing, and the outline of what is computed again.
    CHECK(countOf(svg, "class=\"again\"") == 2);
    CHECK(countOf(svg, ">↻</text>") == 1);
    CHECK(bandWidth(1 << 10) == 2);
    CHECK(bandWidth(std::int64_t{1} << 30) == 12);
}

TEST_CASE("the selection is ringed in the SVG; ids that are not in the graph are ignored") {
    const Chain chain = jointChain(8);
    const std::string svg = drawn(*chain.graph, chain.modules,
                                  {chain.forward[2], chain.backward[3], ir::NodeId(99'999), ir::NodeId()});
    CHECK(countOf(svg, "class=\"ring\"") == 2);
}

TEST_CASE("names of any content survive in SVG") {
    GraphBuilder builder;
    ir::NodeId at = builder.input("<script>alert(\"1\" & '2')</script>");
    at = builder.call("größe→形", {at}, "a<b&c");
    at = builder.call("nul \x01\x7f bad \xff\xc0\x80\xed\xa0\x80", {at}, "a<b&c");
    at = builder.call(std::string(1'000'000, '&'), {at}, std::string(1'000'000, '<'));
    builder.output({at});
    const ir::ModulePaths modules = builder.modules();
    const ir::GraphPtr graph = builder.freeze();
    const std::string svg = drawn(*graph, modules);
    CHECK(xmlFault(svg).value_or("") == "");
    CHECK(svg.find("größe→形") != std::string::npos);
    CHECK(svg.find("&lt;script&gt;") != std::string::npos);
    CHECK(svg.find("<script") == std::string::npos);
    CHECK(svg.size() < 100'000);
}

TEST_CASE("an empty graph is an empty SVG") {
    const ir::GraphPtr empty = ir::GraphBuilder().finish();
    CHECK(xmlFault(drawn(*empty, {})).value_or("") == "");
}
