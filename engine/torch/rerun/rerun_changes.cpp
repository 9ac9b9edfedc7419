#include "rerun/rerun_changes.h"

#include "dispatch/dtypes.h"
#include "dispatch/failure.h"
#include "dispatch/map_tensors.h"
#include "run/tensor_copy.h"
#include "run/value_access.h"

#include "ir/graph_builder.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <map>
#include <string>
#include <utility>

namespace aotscope::torch {

namespace {

using c10::IValue;

c10::ScalarType floatType(ir::DType dtype) {
    const auto type = scalarType(dtype);
    if (!type || !c10::isFloatingType(*type)) {
        fail("rerun.twist",
             "The dtype " + std::string(ir::dtypeName(dtype)) +
                 " is no float dtype, so inputs cannot become it.",
             "Choose float64, float32, float16 or bfloat16.");
    }
    return *type;
}

bool isFloat(ir::DType dtype) {
    const auto type = scalarType(dtype);
    return type && c10::isFloatingType(*type);
}

/// Replaces the float dtypes in an argument; returns whether there were any.
bool replaceFloats(ir::Argument& argument, ir::DType dtype) {
    if (auto* named = std::get_if<ir::DType>(&argument.value)) {
        const bool changes = isFloat(*named) && *named != dtype;
        *named = changes ? dtype : *named;
        return changes;
    }
    bool changed = false;
    const auto replaceIn = [&](ir::Arguments& items) {
        for (ir::Argument& item : items) {
            changed = replaceFloats(item, dtype) || changed;
        }
    };
    if (auto* list = std::get_if<ir::ListArgument>(&argument.value)) {
        replaceIn(list->items);
    } else if (auto* tuple = std::get_if<ir::TupleArgument>(&argument.value)) {
        replaceIn(tuple->items);
    }
    return changed;
}

/// The tensor's elements, repeated or cut off along each dimension.
at::Tensor resized(const at::Tensor& tensor, const std::vector<std::int64_t>& sizes,
                   const std::string& name) {
    if (static_cast<std::int64_t>(sizes.size()) != tensor.dim()) {
        fail("rerun.twist", "The input " + name + " has " + std::to_string(tensor.dim()) +
                                " dimensions, and not " + std::to_string(sizes.size()) + ".");
    }
    at::Tensor made = tensor;
    for (std::int64_t dim = 0; dim < tensor.dim(); ++dim) {
        const std::int64_t size = sizes[static_cast<std::size_t>(dim)];
        if (size < 0) {
            fail("rerun.twist", "The input " + name + " cannot have the size " + std::to_string(size) + ".");
        }
        if (size == made.size(dim)) {
            continue;
        }
        if (made.size(dim) == 0) {
            return at::zeros(sizes, tensor.options());
        }
        made = made.index_select(
            dim, at::arange(size, tensor.options().dtype(c10::kLong)).remainder(made.size(dim)));
    }
    return made;
}

/// Converts tensors to a float type; those that share memory go on sharing it.
class FloatConverter {
public:
    explicit FloatConverter(c10::ScalarType type) : m_type(type) {}

    at::Tensor operator()(const at::Tensor& tensor) {
        if (!c10::isFloatingType(tensor.scalar_type()) || tensor.scalar_type() == m_type) {
            return tensor;
        }
        const bool isPlain = tensor.layout() == c10::kStrided && tensor.has_storage() && !tensor.is_neg() &&
                             !tensor._is_zerotensor();
        if (!isPlain) {
            return tensor.to(m_type);
        }
        at::Tensor& all = m_converted[{tensor.storage().unsafeGetStorageImpl(), tensor.scalar_type()}];
        if (!all.defined()) {
            all = wholeStorage(tensor).to(m_type);
        }
        return all.as_strided(tensor.sizes(), tensor.strides(), tensor.storage_offset());
    }

private:
    c10::ScalarType m_type;
    std::map<std::pair<const c10::StorageImpl*, c10::ScalarType>, at::Tensor> m_converted;
};

} // namespace

ir::GraphPtr changedGraph(const ir::GraphPtr& graph, const session::RerunRegion& region,
                          const session::RerunChanges& changes) {
    if (!changes.dtype) {
        return graph;
    }
    (void)floatType(*changes.dtype);
    ir::GraphBuilder changed(*graph);
    bool any = false;
    for (const ir::NodeId id : region.nodes) {
        ir::Node node = graph->node(id);
        for (ir::Argument& argument : node.args) {
            any = replaceFloats(argument, *changes.dtype) || any;
        }
        for (ir::KeywordArgument& keyword : node.kwargs) {
            any = replaceFloats(keyword.value, *changes.dtype) || any;
        }
        changed.replace(id, std::move(node));
    }
    return any ? changed.finish() : graph;
}

RegionValues changedValues(const ir::Graph& graph, const session::RerunRegion& region,
                           const RegionValues& values, const session::RerunChanges& changes) {
    RegionValues changed = values;
    for (const auto& [name, sizes] : changes.sizes) {
        bool isInput = false;
        for (std::size_t i = 0; i < region.inputs.size(); ++i) {
            if (graph.node(region.inputs[i]).name == name && changed.inputs[i].isTensor()) {
                isInput = true;
                changed.inputs[i] = resized(changed.inputs[i].toTensor(), sizes, name);
            }
        }
        if (!isInput) {
            fail("rerun.twist",
                 "The nodes have no tensor \"" + name + "\" as input, so it cannot get other sizes.");
        }
    }
    if (changes.dtype) {
        FloatConverter convert(floatType(*changes.dtype));
        for (IValue& input : changed.inputs) {
            input = mapTensors(input, [&](const at::Tensor& tensor) { return convert(tensor); });
        }
    }
    for (std::size_t i = 0; i < values.inputs.size(); ++i) {
        const std::vector<at::Tensor> before = tensorsIn(values.inputs[i]);
        const std::vector<at::Tensor> after = tensorsIn(changed.inputs[i]);
        for (std::size_t k = 0; k < before.size(); ++k) {
            if (before[k].has_storage() && after[k].has_storage() &&
                values.written.contains(before[k].storage().unsafeGetStorageImpl())) {
                changed.written.insert(after[k].storage().unsafeGetStorageImpl());
            }
        }
    }
    return changed;
}

} // namespace aotscope::torch
