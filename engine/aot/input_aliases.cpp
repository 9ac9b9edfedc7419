#include "aot/input_aliases.h"

#include "aot/pytorch_message.h"

#include <algorithm>
#include <map>
#include <utility>

namespace aotscope::aot {
namespace {

using Group = std::vector<std::size_t>;

/// The part of its storage that a tensor spans, in elements, computed with the logged values of symbols.
struct Extent {
    std::int64_t begin = 0;
    /// One past the last element.
    std::int64_t end = 0;
    /// For a matrix with contiguous rows: the length of a row, and the distance between the starts of two
    /// rows.
    std::int64_t rowLength = 0;
    std::int64_t rowDistance = 0;
};

Extent extentOf(const ir::TensorMeta& meta, const ir::SymbolBindings& bindings) {
    const auto value = [&](const ir::SymInt& number) { return number.value(bindings).value_or(0); };
    Extent extent;
    extent.begin = value(meta.storageOffset.value_or(0));
    extent.end = extent.begin;
    for (std::size_t d = 0; d < meta.shape.size(); ++d) {
        extent.end += (value(meta.shape[d]) - 1) * value(meta.stride->at(d));
    }
    ++extent.end;
    if (meta.shape.size() == 2 && value(meta.stride->at(1)) == 1) {
        extent.rowLength = value(meta.shape[1]);
        extent.rowDistance = value(meta.stride->at(0));
    }
    return extent;
}

/// Whether two matrices are disjoint column ranges of one larger matrix.
bool areBeside(const Extent& left, const Extent& right) {
    const std::int64_t delta = right.begin - left.begin;
    if (delta < 0) {
        return areBeside(right, left);
    }
    return left.rowDistance > 0 && left.rowDistance == right.rowDistance &&
           delta % left.rowDistance >= left.rowLength &&
           delta % left.rowDistance + right.rowLength <= left.rowDistance;
}

/// Whether any two tensors of one storage really overlap (compute_overlapping_tensors).
bool anyOverlap(std::span<const TracedArgument> arguments, const Group& group,
                const ir::SymbolBindings& bindings) {
    std::vector<Extent> extents;
    for (const std::size_t index : group) {
        extents.push_back(extentOf(arguments[index].tensor->meta, bindings));
    }
    for (std::size_t a = 0; a < extents.size(); ++a) {
        for (std::size_t b = a + 1; b < extents.size(); ++b) {
            if (extents[a].begin < extents[b].end && extents[b].begin < extents[a].end &&
                !areBeside(extents[a], extents[b])) {
                return true;
            }
        }
    }
    return false;
}

base::Error aliasError(const std::string& left, const std::string& right, const char* what) {
    return {.code = "trace.alias",
            .message = "The inputs " + left + " and " + right + " share memory " + what};
}

base::Result<void> checkViews(std::span<const TracedArgument> arguments, const Group& group,
                              bool traceJoint) {
    for (std::size_t i = 0; i + 1 < group.size(); ++i) {
        const TracedArgument& left = arguments[group[i]];
        const TracedArgument& right = arguments[group[i + 1]];
        if (traceJoint && !left.tensor->isView && !right.tensor->isView) {
            return aliasError(left.name, right.name,
                              "without being views of one tensor, and one of them is mutated: "
                              "aot_autograd() does not yet handle non-differentiable view input mutations.");
        }
        const auto isOther = [](const TracedTensor& view) {
            return view.baseDtype && *view.baseDtype != view.meta.dtype;
        };
        if (left.tensor->meta.dtype != right.tensor->meta.dtype || isOther(*left.tensor) ||
            isOther(*right.tensor)) {
            base::Error error =
                aliasError(left.name, right.name, "with different dtypes, and one of them is mutated.");
            error.notes = {std::string(pytorchSays) +
                           "aot_autograd() does not yet handle input mutations on views "
                           "with different dtypes."};
            return error;
        }
    }
    return {};
}

/// `pytorch`: what PyTorch calls such inputs.
base::Error notExported(const char* what, const char* pytorch) {
    return {
        .code = "trace.export",
        .message = std::string(what) + ", and the program changes it: this needs a wrapper around the "
                                       "compiled function, which an export does not have.",
        .notes = {std::string(pytorchSays) + "Encountered " + pytorch +
                  " inputs that are mutated in the graph you are trying to export.\n"
                  "This functionality is currently not supported. If needed, please file a github issue."},
        .hint = "Pass copies to the program, or trace it without --export."};
}

SyntheticBase baseOf(std::span<const TracedArgument> arguments, const Group& group) {
    const auto view =
        std::ranges::find_if(group, [&](std::size_t index) { return arguments[index].tensor->isView; });
    return view == group.end() ? SyntheticBase{group.front(), false} : SyntheticBase{*view, true};
}

ViewOfBase viewOf(const TracedTensor& tensor, std::size_t base) {
    return {.base = base,
            .size = tensor.meta.shape,
            .stride = *tensor.meta.stride,
            .storageOffset = tensor.meta.storageOffset.value_or(0),
            .requiresGrad = tensor.requiresGrad};
}

/// Arguments grouped by storage, in order of first appearance; those that are not tensors go to `others`.
std::vector<Group> byStorage(std::span<const TracedArgument> arguments, Group& others) {
    std::vector<Group> groups;
    std::map<std::size_t, std::size_t> groupOf;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (!arguments[i].tensor) {
            others.push_back(i);
            continue;
        }
        const auto [group, isNew] = groupOf.try_emplace(arguments[i].tensor->storage, groups.size());
        if (isNew) {
            groups.emplace_back();
        }
        groups[group->second].push_back(i);
    }
    return groups;
}

std::string namesOf(std::span<const TracedArgument> arguments, const Group& group) {
    std::string text;
    for (std::size_t i = 0; i < group.size(); ++i) {
        text += (i == 0 ? "" : i + 1 == group.size() ? " and " : ", ") + arguments[group[i]].name;
    }
    return text;
}

/// Why no base is needed.
std::string whyNoBase(bool anyShared, bool anyMutated) {
    return !anyShared    ? "no two inputs share memory"
           : !anyMutated ? "inputs share memory, but none of these is mutated"
                         : "inputs share a storage that one of them changes, but none overlaps another";
}

} // namespace

base::Result<WrapperStep> dedupeArguments(std::span<const TracedArgument> arguments,
                                          const std::vector<ir::InputAliasInfo>& inputInfo, bool isExport) {
    AOTDedupeWrapper wrapper;
    std::map<std::size_t, std::size_t> seen;
    Group duplicates;
    bool anyMutated = false;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].tensor) {
            const auto [first, isNew] = seen.try_emplace(arguments[i].tensor->tensor, kept);
            if (!isNew) {
                wrapper.keepArgMask.push_back(false);
                wrapper.addDupeMap.push_back(first->second);
                duplicates.push_back(i);
                anyMutated = anyMutated || inputInfo.at(i).mutatesData || inputInfo.at(i).mutatesMetadata;
                continue;
            }
        }
        wrapper.keepArgMask.push_back(true);
        wrapper.addDupeMap.push_back(kept++);
    }
    if (!anyMutated) {
        return WrapperStep{
            AOTDedupeWrapper{}, false,
            duplicates.empty()
                ? "no tensor is passed twice"
                : namesOf(arguments, duplicates) +
                      " repeat other inputs, but are not mutated: the trace treats them as separate tensors"};
    }
    if (isExport) {
        return notExported("A tensor is passed twice", "duplicated");
    }
    return WrapperStep{std::move(wrapper), true,
                       namesOf(arguments, duplicates) + " repeat other inputs, and are mutated"};
}

base::Result<WrapperStep> mergeViewInputs(std::span<const TracedArgument> arguments,
                                          const std::vector<ir::InputAliasInfo>& inputInfo,
                                          const ir::SymbolBindings& bindings, bool traceJoint,
                                          bool isExport) {
    AOTSyntheticBaseWrapper wrapper;
    wrapper.traceJoint = traceJoint;
    wrapper.syntheticBaseInfo.resize(arguments.size());
    Group others;
    std::string merged;
    bool anyShared = false;
    bool anyMutated = false;
    for (const Group& group : byStorage(arguments, others)) {
        const bool isShared = group.size() > 1;
        const bool isMutated =
            std::ranges::any_of(group, [&](std::size_t i) { return inputInfo.at(i).mutatesData; });
        anyShared = anyShared || isShared;
        anyMutated = anyMutated || (isShared && isMutated);
        if (!isShared || !isMutated || !anyOverlap(arguments, group, bindings)) {
            others.insert(others.end(), group.begin(), group.end());
            continue;
        }
        AOTSCOPE_CHECK(checkViews(arguments, group, traceJoint));
        for (const std::size_t i : group) {
            wrapper.syntheticBaseInfo[i] = viewOf(*arguments[i].tensor, wrapper.bases.size());
        }
        wrapper.bases.push_back(baseOf(arguments, group));
        merged += (merged.empty() ? "" : "; ") + namesOf(arguments, group);
    }
    if (wrapper.bases.empty()) {
        wrapper.syntheticBaseInfo.clear();
        return WrapperStep{std::move(wrapper), false, whyNoBase(anyShared, anyMutated)};
    }
    if (isExport) {
        return notExported("Inputs share memory", "aliased");
    }
    for (std::size_t i = 0; i < others.size(); ++i) {
        wrapper.syntheticBaseInfo[others[i]] = wrapper.bases.size() + i;
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (std::holds_alternative<ViewOfBase>(wrapper.syntheticBaseInfo[i]) &&
            inputInfo.at(i).mutatesMetadata) {
            wrapper.aliasedArgIdxWithMetadataMutations.push_back(i);
        }
    }
    wrapper.oldInputInfo = inputInfo;
    return WrapperStep{std::move(wrapper), true, merged + " share memory, and one of them is mutated"};
}

} // namespace aotscope::aot
