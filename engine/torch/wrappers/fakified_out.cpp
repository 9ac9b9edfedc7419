#include "wrappers/fakified_out.h"

#include <ATen/ops/empty_strided.h>

namespace aotscope::torch {

Values FakifiedOutCall::call(Values& arguments) {
    Values results = m_inner->call(arguments);
    std::call_once(m_first, [&] {
        for (c10::IValue& result : results) {
            if (result.isTensor() && result.toTensor().defined()) {
                const at::Tensor& tensor = result.toTensor();
                result = at::empty_strided(tensor.sizes(), tensor.strides(),
                                           tensor.options().device(c10::kMeta).requires_grad(false));
            }
        }
    });
    return results;
}

} // namespace aotscope::torch
