#include "wrong_kernel.h"

#include "torch_headers.h"

namespace aotscope::test {

namespace {

void wrongSigmoid(const c10::OperatorHandle& /*op*/, c10::DispatchKeySet /*keys*/, torch::jit::Stack* stack) {
    const at::Tensor input = torch::jit::pop(*stack).toTensor();
    const at::Tensor right = input.neg().exp().add(1).reciprocal();
    torch::jit::push(*stack, input.scalar_type() == c10::kFloat ? right.mul(1.001) : right);
}

} // namespace

struct WrongSigmoid::Registration {
    c10::RegistrationHandleRAII handle;
};

WrongSigmoid::WrongSigmoid()
    : m_registration(new Registration{c10::Dispatcher::singleton().registerImpl(
          c10::OperatorName("aten::sigmoid", ""), c10::DispatchKey::CPU,
          c10::KernelFunction::makeFromBoxedFunction<&wrongSigmoid>(), std::nullopt, nullptr, "a wrong kernel")}) {}

WrongSigmoid::~WrongSigmoid() = default;

} // namespace aotscope::test
