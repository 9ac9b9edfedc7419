#pragma once

#include "contract/reference.h"
#include "layout/layout.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace aotscope::views {

/// The groups that a person opened and closed, per graph. The stages of a trace share the name of one graph.
class GraphFolds {
public:
    /// Has a layout open and close the graph's groups accordingly.
    void apply(const session::ArtifactReference& graph, layout::LayoutOptions& options) const;
    void toggle(const session::ArtifactReference& graph, const layout::Group& group);
    void setAll(const session::ArtifactReference& graph, const layout::Layout& shown, bool open);
    void eraseLog(std::uint32_t log);

private:
    struct Folds {
        std::set<std::string> open;
        std::set<std::string> closed;
    };

    std::map<session::ArtifactReference, Folds> m_folds;
};

} // namespace aotscope::views
