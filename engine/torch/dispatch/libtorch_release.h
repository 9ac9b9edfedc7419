#pragma once

#include "aot/versions/torch_version.h"

#include <c10/core/DispatchKey.h>
#include <c10/util/intrusive_ptr.h>

#include <torch/headeronly/version.h>

#include <memory>
#include <type_traits>

/// What LibTorch's own headers force to differ from release to release. Rules of AOTAutograd that differ are
/// not here but in aot/versions.
namespace aotscope::torch {

/// The release of the LibTorch that the module is built for.
inline constexpr aot::TorchVersion libTorchVersion{TORCH_VERSION_MAJOR, TORCH_VERSION_MINOR};

/// The key under which a trace gets every operator below autograd and above the devices. Torch 2.11 has it
/// above Python and leaves it unused; since 2.15 it is below, and belongs to a fake-tensor mode in C++ that
/// nothing here switches on. No tensor of a trace has the Python key, so the place makes no difference.
inline constexpr c10::DispatchKey traceKey = c10::DispatchKey::Fake;

/// A node of the autograd graph as LibTorch owns it: an intrusive pointer since torch 2.15.
template<typename Node>
using OwnedNode = std::conditional_t<std::is_base_of_v<c10::intrusive_ptr_target, Node>,
                                     c10::intrusive_ptr<Node>, std::shared_ptr<Node>>;

/// Takes ownership of a node that was allocated with new.
template<typename Node>
OwnedNode<Node> ownNode(Node* made) {
    if constexpr (std::is_base_of_v<c10::intrusive_ptr_target, Node>) {
        return c10::intrusive_ptr<Node>::unsafe_steal_from_new(made);
    } else {
        return std::shared_ptr<Node>(made);
    }
}

/// Whether the program assigned `x.data = y` of the tensor that a FunctionalTensorWrapper stands for.
/// LibTorch tells since torch 2.15; before, it traces the assignment as `set_`.
template<typename Wrapper>
bool wasShallowCopyData(Wrapper& wrapper) {
    if constexpr (requires { wrapper.was_shallow_copy_data(); }) {
        return wrapper.was_shallow_copy_data();
    } else {
        return false;
    }
}

} // namespace aotscope::torch
