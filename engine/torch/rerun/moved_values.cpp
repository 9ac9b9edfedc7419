#include "rerun/moved_values.h"

#include "dispatch/map_tensors.h"
#include "run/tensor_copy.h"
#include "run/value_access.h"

#include <ATen/ops/empty.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace aotscope::torch {

namespace {

using c10::IValue;

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

class Mover {
public:
    at::Tensor move(const at::Tensor& tensor, c10::Device device) {
        const bool isPlain = tensor.layout() == c10::kStrided && tensor.has_storage() && !tensor.is_conj() &&
                             !tensor.is_neg() && !tensor._is_zerotensor();
        if (tensor.device() == device || !isPlain) {
            return tensor.to(device);
        }
        c10::Storage& moved = m_moved[{tensor.storage().unsafeGetStorageImpl(), device.str()}];
        if (!moved) {
            moved = storageBytes(tensor.storage()).to(device).storage();
        }
        at::Tensor view = at::empty({0}, tensor.options().device(device));
        view.set_(moved, tensor.storage_offset(), tensor.sizes(), tensor.strides());
        return view;
    }

private:
    std::map<std::pair<const c10::StorageImpl*, std::string>, c10::Storage> m_moved;
};

} // namespace

RegionValues movedValues(const ir::Graph& graph, const session::RerunRegion& region,
                         const RegionValues& values, const RunPlace& place) {
    RegionValues moved = values;
    moved.written.clear();
    Mover mover;
    for (std::size_t i = 0; i < region.inputs.size(); ++i) {
        std::size_t next = 0;
        moved.inputs[i] = mapTensors(values.inputs[i], [&](const at::Tensor& tensor) {
            at::Tensor made =
                mover.move(tensor, place.of(loggedDevice(graph.node(region.inputs[i]).value, next++)));
            if (tensor.has_storage() && made.has_storage() &&
                values.written.contains(tensor.storage().unsafeGetStorageImpl())) {
                moved.written.insert(made.storage().unsafeGetStorageImpl());
            }
            return made;
        });
    }
    return moved;
}

} // namespace aotscope::torch
