"""Training steps of a logged program in PyTorch, for bench_runtime.py: its Dynamo graph compiled by AOTAutograd as the backend
aot_eager does, called without Dynamo's guards, with plain SGD. bench_runtime's TrainingSteps does the same."""

import inspect
import math
import time

from bench_trace import TENSOR, largest_program, plain

STEPS = 5
RATE = 0.01


def initial(torch, tensor, position):
    """The numbers that both sides begin with."""
    count = torch.arange(tensor.numel(), dtype=torch.float64).view(tensor.shape)
    if not tensor.is_floating_point():
        return count >= 0 if tensor.dtype is torch.bool else count.remainder(7)
    wave = torch.sin(count * 0.7 + position)
    if tensor.dim() < 2:
        return wave * 0.1 + 1
    return wave / math.sqrt(tensor.numel() / tensor.shape[0])


class Training:
    def __init__(self, path):
        import torch
        from functorch.compile import min_cut_rematerialization_partition
        from torch._dynamo.backends.debugging import boxed_nop
        from torch._functorch.aot_autograd import aot_module_simplified
        from torch.utils._dtype_abbrs import dtype_abbrs

        self.torch = torch
        dtypes = {abbreviation: dtype for dtype, abbreviation in dtype_abbrs.items()}
        text, known = largest_program(path)
        names = {"torch": torch, "device": torch.device, "inf": math.inf, "nan": math.nan}
        exec(compile(text, str(path), "exec"), names)  # the class that print_readable wrote
        module = names["GraphModule"]()
        self.arguments, self.requires_grad = [], []
        for parameter in inspect.signature(module.forward).parameters.values():
            match = TENSOR.match(parameter.annotation)
            size, stride = ([int(number) for number in match[i].split(",") if number.strip()] for i in (2, 3))
            self.arguments.append(torch.empty_strided(size, stride, dtype=dtypes[match[1]]))
            self.requires_grad.append(known.get(plain(parameter.name), {}).get("requires_grad", False))
        self.begin()
        traced = torch.fx.symbolic_trace(module)
        self.compiled = aot_module_simplified(
            traced,
            self.arguments,
            boxed_nop,
            boxed_nop,
            partition_fn=min_cut_rematerialization_partition,
            keep_inference_input_mutations=True,
        )

    def begin(self):
        with self.torch.no_grad():
            for i, argument in enumerate(self.arguments):
                argument = argument.detach()
                argument.copy_(initial(self.torch, argument, i))
                self.arguments[i] = argument.requires_grad_(self.requires_grad[i])

    def step(self):
        loss = None
        for output in self.compiled(*self.arguments):
            if isinstance(output, self.torch.Tensor) and output.requires_grad and output.numel():
                mean = output.float().square().mean()
                loss = mean if loss is None else loss + mean
        loss.backward()
        with self.torch.no_grad():
            for argument in self.arguments:
                if argument.grad is not None:
                    argument.sub_(argument.grad * RATE)
                    argument.grad = None
        return loss.item()

    def measure(self):
        self.torch.set_num_threads(1)
        self.begin()
        wall, processor = time.perf_counter_ns(), time.process_time_ns()
        losses = [self.step() for _ in range(STEPS)]
        return {"ns": time.process_time_ns() - processor, "wall_ns": time.perf_counter_ns() - wall, "losses": losses}
