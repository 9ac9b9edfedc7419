#include "rerun/rerun_changes.h"

#include "dispatch/dtypes.h"
#include "dispatch/failure.h"
#include "dispatch/map_tensors.h"
#include "run/state/tensor_copy.h"
#include "run/state/value_access.h"

#include "ir/graph_builder.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/zeros.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace aotscope::torch {

namespace {

using c10::IValue;

c10::ScalarType changedFloatType(ir::DType dtype) {
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

bool isPlain(const at::Tensor& tensor) {
    return tensor.layout() == c10::kStrided && tensor.has_storage() && !tensor.is_conj() &&
           !tensor.is_neg() && !tensor._is_zerotensor();
}

/// Converts tensors to a float type; those that share memory go on sharing it.
class FloatConverter {
public:
    explicit FloatConverter(c10::ScalarType type) : m_type(type) {}

    at::Tensor operator()(const at::Tensor& tensor) {
        if (!c10::isFloatingType(tensor.scalar_type()) || tensor.scalar_type() == m_type) {
            return tensor;
        }
        if (!isPlain(tensor)) {
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

/// Where the tensor with that number among a node's was logged.
std::optional<ir::Device> loggedDevice(const ir::ValueMeta& meta, std::size_t tensor) {
    if (const ir::TensorMeta* one = ir::asTensor(meta)) {
        return one->device;
    }
    if (const auto* tuple = std::get_if<std::shared_ptr<const ir::TupleMeta>>(&meta)) {
        for (const ir::ValueMeta& element : (*tuple)->elements) {
            const ir::TensorMeta* one = ir::asTensor(element);
            if (one != nullptr && tensor-- == 0) {
                return one->device;
            }
        }
    }
    return std::nullopt;
}

/// Moves tensors; those that share memory go on sharing it.
class Mover {
public:
    at::Tensor move(const at::Tensor& tensor, c10::Device device) {
        if (tensor.device() == device || !isPlain(tensor)) {
            return tensor.to(device);
        }
        c10::Storage& moved = m_moved[{tensor.storage().unsafeGetStorageImpl(), device.str()}];
        if (!moved) {
            moved = storageBytes(tensor.storage()).to(device).storage();
        }
        return inStorage(moved, tensor.options().device(device), tensor);
    }

private:
    std::map<std::pair<const c10::StorageImpl*, std::string>, c10::Storage> m_moved;
};

/// Adds the memory that `after` has in place of what the nodes write to in `before`.
void addWritten(const RegionValues& before, RegionValues& after) {
    for (std::size_t i = 0; i < before.inputs.size(); ++i) {
        const std::vector<at::Tensor> old = tensorsIn(before.inputs[i]);
        const std::vector<at::Tensor> now = tensorsIn(after.inputs[i]);
        for (std::size_t k = 0; k < old.size(); ++k) {
            if (old[k].has_storage() && now[k].has_storage() &&
                before.written.contains(old[k].storage().unsafeGetStorageImpl())) {
                after.written.insert(now[k].storage().unsafeGetStorageImpl());
            }
        }
    }
}

} // namespace

ir::GraphPtr changedGraph(const ir::GraphPtr& graph, const session::RerunRegion& region,
                          const session::RerunChanges& changes) {
    if (!changes.dtype) {
        return graph;
    }
    (void)changedFloatType(*changes.dtype);
    ir::GraphBuilder changed(*graph);
    bool any = false;
    for (const ir::NodeId id : region.nodes) {
        ir::Node node = graph->node(id);
        ir::forEachArgument(
            node, [&](ir::Argument& argument) { any = replaceFloats(argument, *changes.dtype) || any; });
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
        FloatConverter convert(changedFloatType(*changes.dtype));
        for (IValue& input : changed.inputs) {
            input = mapTensors(input, [&](const at::Tensor& tensor) { return convert(tensor); });
        }
    }
    addWritten(values, changed);
    return changed;
}

RegionValues movedValues(const ir::Graph& graph, const session::RerunRegion& region,
                         const RegionValues& values, const RunPlace& place) {
    RegionValues moved = values;
    moved.written.clear();
    Mover mover;
    for (std::size_t i = 0; i < region.inputs.size(); ++i) {
        std::size_t next = 0;
        moved.inputs[i] = mapTensors(values.inputs[i], [&](const at::Tensor& tensor) {
            return mover.move(tensor, place.of(loggedDevice(graph.node(region.inputs[i]).value, next++)));
        });
    }
    addWritten(values, moved);
    return moved;
}

} // namespace aotscope::torch
