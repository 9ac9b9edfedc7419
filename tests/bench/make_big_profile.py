"""Writes a profiler's trace of a given size, as Kineto lays it out: python bench/make_big_profile.py OUT MEGABYTES

Iterations of a training step: operators four deep on the CPU, launches, kernels on two streams, memory events and
arrows, indented as Kineto indents them.
"""

import sys



def operator(out, name, start, duration, number, depth):
    out.append(
        f'  {{\n    "ph": "X", "cat": "cpu_op", "name": "{name}", "pid": 1000, "tid": 1000,\n    "ts": {start:.3f}, '
        f'"dur": {duration:.3f},\n    "args": {{\n      "External id": {number},"Sequence number": {number}, '
        f'"Fwd thread id": 0, "Record function id": 0, "Concrete Inputs": ["", "", ""], "Input type": ["float", '
        f'"float", "float"], "Input Strides": [[1024, 1], [1024, 1], [1]], "Input Dims": [[64, 1024], [1024, 1024], '
        f'[1024]], "Ev Idx": {number}\n    }}\n  }}'
    )


def launch(out, name, start, number, stream):
    out.append(
        f'  {{\n    "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1000, "tid": 1000,\n    '
        f'"ts": {start:.3f}, "dur": 3.500,\n    "args": {{\n      "External id": {number}, "cbid": 211, '
        f'"correlation": {number}\n    }}\n  }}'
    )
    out.append(
        f'  {{\n    "ph": "X", "cat": "kernel", "name": "{name}", "pid": 0, "tid": {stream},\n    "ts": '
        f'{start + 20:.3f}, "dur": 9.250,\n    "args": {{\n      "External id": {number}, "queued": 0, "device": 0, '
        f'"context": 1, "stream": {stream}, "correlation": {number}, "registers per thread": 64, "shared memory": '
        f'16384, "blocks per SM": 0.5, "warps per SM": 4.0, "grid": [64, 1, 1], "block": [256, 1, 1], '
        f'"est. achieved occupancy %": 12\n    }}\n  }}'
    )
    for phase, pid, tid, at in (("s", 1000, 1000, start), ("f", 0, stream, start + 20)):
        out.append(
            f'  {{\n    "ph": "{phase}", "id": {number}, "pid": {pid}, "tid": {tid}, "ts": {at:.3f},\n    '
            f'"cat": "ac2g", "name": "ac2g", "bp": "e"\n  }}'
        )


def main():
    path, size = sys.argv[1], int(float(sys.argv[2]) * 1e6)
    names = ["aten::linear", "aten::addmm", "aten::gelu", "aten::layer_norm", "aten::add", "aten::mul", "aten::copy_"]
    kernels = [
        f"void at::native::vectorized_elementwise_kernel<{i}, at::native::CUDAFunctor_add<float>, "
        f"std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)"
        for i in range(50)
    ]
    written = 0
    number = 0
    time = 4829638480831.078
    with open(path, "w", buffering=1 << 22) as file:
        head = '{\n  "schemaVersion": 1,\n  "displayTimeUnit": "ms",\n  "baseTimeNanoseconds": 1790857026000000000,\n  "traceEvents": [\n'
        written += file.write(head)
        first = True
        while written < size:
            out = []
            for step in range(200):
                name = names[step % len(names)]
                number += 1
                operator(out, name, time, 60, number, 0)
                number += 1
                operator(out, "aten::" + name[6:] + "_impl", time + 2, 50, number, 1)
                number += 1
                operator(out, "aten::empty", time + 4, 3, number, 2)
                launch(out, kernels[(step * 7) % 50], time + 12, number, 7 if step % 5 else 13)
                out.append(
                    f'  {{\n    "ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1000, '
                    f'"tid": 1000, "ts": {time + 5:.3f},\n    "args": {{\n      "Total Reserved": 2147483648, '
                    f'"Total Allocated": {1000000 + step * 4096}, "Bytes": 4096, "Device Id": 0, "Device Type": 1, '
                    f'"Addr": 140000000{step}, "Ev Idx": {number}\n    }}\n  }}'
                )
                time += 70
            written += file.write(("" if first else ",\n") + ",\n".join(out))
            first = False
        file.write("\n  ],\n  \"traceName\": \"big.json\"\n}\n")


if __name__ == "__main__":
    main()
