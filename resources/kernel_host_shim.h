// CUDA C++ as far as fused kernels use it, on the host: the text of a kernel compiles unchanged after this
// header, and all threads of a block run. A kernel that synchronises gets a fiber for each thread; warps
// advance together.
#include <cmath>
#include <csetjmp>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <ucontext.h>
#include <utility>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __restrict__
#define __shared__ static thread_local

namespace host_kernel {

struct dimension {
    unsigned x = 1, y = 1, z = 1;
};
struct place {
    unsigned x = 0, y = 0, z = 0;
};

enum class waiting { nothing, warp, block, done };

// Saves the registers that a called function must keep, and continues where the other stack stopped.
#if defined(__x86_64__)
extern "C" void aotscope_switch_stack(void** from, void* to);
__asm__(".pushsection .text\n.weak aotscope_switch_stack\n.type aotscope_switch_stack,@function\n"
        "aotscope_switch_stack:\n"
        "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
        "mov %rsp, (%rdi)\nmov %rsi, %rsp\n"
        "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n"
        ".size aotscope_switch_stack,.-aotscope_switch_stack\n.popsection\n");
#endif

constexpr std::size_t stack_bytes = 128 * 1024;

struct fiber {
    void* stack = nullptr;
#if defined(__x86_64__)
    void* pointer = nullptr;
#else
    ucontext_t context;
#endif
    waiting state = waiting::done;
    unsigned turn = 0;
    // Two, because a thread may begin the next exchange before others have read this one.
    alignas(16) unsigned char exchanged[2][16];
};

struct scheduler {
    std::vector<fiber> fibers;
    unsigned current = 0;
    void (*body)(void*) = nullptr;
    void* argument = nullptr;
#if defined(__x86_64__)
    void* pointer = nullptr;
#else
    ucontext_t context;
#endif
    ~scheduler() {
        for (fiber& each : fibers) {
            std::free(each.stack);
        }
    }
};

inline thread_local scheduler running;
inline thread_local place thread_index, block_index;
inline thread_local dimension block_size, grid_size;

inline void leave(waiting state) {
    fiber& self = running.fibers[running.current];
    self.state = state;
#if defined(__x86_64__)
    aotscope_switch_stack(&self.pointer, running.pointer);
#else
    swapcontext(&self.context, &running.context);
#endif
}

inline void fiber_main() {
    running.body(running.argument);
    leave(waiting::done);
    std::abort();
}

inline void enter(unsigned index) {
    running.current = index;
    thread_index.x = index;
    fiber& next = running.fibers[index];
    next.state = waiting::nothing;
#if defined(__x86_64__)
    aotscope_switch_stack(&running.pointer, next.pointer);
#else
    swapcontext(&running.context, &next.context);
#endif
}

inline void prepare(fiber& next) {
    if (next.stack == nullptr) {
        next.stack = std::aligned_alloc(64, stack_bytes);
        if (next.stack == nullptr) {
            std::abort();
        }
    }
    next.turn = 0;
    next.state = waiting::nothing;
#if defined(__x86_64__)
    // As after a call: the stack pointer is 8 beyond a multiple of 16 when the function begins.
    void** top = reinterpret_cast<void**>(static_cast<char*>(next.stack) + stack_bytes) - 3;
    *--top = reinterpret_cast<void*>(&fiber_main);
    for (int saved = 0; saved < 6; ++saved) {
        *--top = nullptr;
    }
    next.pointer = top;
#else
    getcontext(&next.context);
    next.context.uc_stack.ss_sp = next.stack;
    next.context.uc_stack.ss_size = stack_bytes;
    next.context.uc_link = nullptr;
    makecontext(&next.context, &fiber_main, 0);
#endif
}

// Runs the threads of a warp until all wait for the block or are done. In CUDA, too, all lanes take part in
// an exchange.
inline void advance_warp(unsigned first, unsigned end) {
    for (bool exchanging = true; exchanging;) {
        exchanging = false;
        for (unsigned index = first; index < end; ++index) {
            const waiting state = running.fibers[index].state;
            if (state == waiting::nothing || state == waiting::warp) {
                enter(index);
                exchanging = exchanging || running.fibers[index].state == waiting::warp;
            }
        }
    }
}

inline void run_fibers(void (*body)(void*), void* argument) {
    running.body = body;
    running.argument = argument;
    if (running.fibers.size() < block_size.x) {
        running.fibers.resize(block_size.x);
    }
    for (unsigned index = 0; index < block_size.x; ++index) {
        prepare(running.fibers[index]);
    }
    for (bool alive = true; alive;) {
        alive = false;
        for (unsigned first = 0; first < block_size.x; first += 32) {
            const unsigned end = first + 32 < block_size.x ? first + 32 : block_size.x;
            advance_warp(first, end);
        }
        for (unsigned index = 0; index < block_size.x; ++index) {
            if (running.fibers[index].state == waiting::block) {
                running.fibers[index].state = waiting::nothing;
                alive = true;
            }
        }
    }
}

template<typename T>
T shuffle_from(T value, unsigned source_lane) {
    static_assert(sizeof(T) <= 16, "more than a register");
    fiber& self = running.fibers[running.current];
    const unsigned turn = self.turn++ % 2;
    std::memcpy(self.exchanged[turn], &value, sizeof(T));
    const unsigned source = running.current / 32 * 32 + source_lane % 32;
    leave(waiting::warp);
    T result;
    std::memcpy(&result, running.fibers[source < block_size.x ? source : running.current].exchanged[turn],
                sizeof(T));
    return result;
}

template<typename Signature>
struct caller;
template<typename... P>
struct caller<void (*)(P...)> {
    struct launch {
        void (*kernel)(P...);
        void** parameters;
    };
    template<std::size_t... I>
    static void call(const launch& what, std::index_sequence<I...>) {
        what.kernel(*static_cast<std::remove_const_t<P>*>(what.parameters[I])...);
    }
    static void body(void* argument) {
        call(*static_cast<launch*>(argument), std::index_sequence_for<P...>());
    }

    static void run(void (*kernel)(P...), void** parameters, unsigned grid, unsigned block,
                    bool synchronises) {
        launch what{kernel, parameters};
        grid_size.x = grid;
        block_size.x = block;
        for (unsigned index = 0; index < grid; ++index) {
            block_index.x = index;
            if (synchronises) {
                run_fibers(&body, &what);
                continue;
            }
            for (unsigned thread = 0; thread < block; ++thread) {
                thread_index.x = thread;
                body(&what);
            }
        }
    }
};

} // namespace host_kernel

#define threadIdx (::host_kernel::thread_index)
#define blockIdx (::host_kernel::block_index)
#define blockDim (::host_kernel::block_size)
#define gridDim (::host_kernel::grid_size)

inline void __syncthreads() {
    host_kernel::leave(host_kernel::waiting::block);
}
inline void __syncwarp(unsigned = 0xffffffffu) {
    host_kernel::leave(host_kernel::waiting::warp);
}
template<typename T>
T __shfl_xor_sync(unsigned, T value, int mask, int = 32) {
    return host_kernel::shuffle_from(value, (threadIdx.x % 32) ^ static_cast<unsigned>(mask));
}
template<typename T>
T __shfl_down_sync(unsigned, T value, unsigned delta, int = 32) {
    const unsigned lane = threadIdx.x % 32;
    return host_kernel::shuffle_from(value, lane + delta < 32 ? lane + delta : lane);
}
template<typename T>
T __shfl_sync(unsigned, T value, int lane, int = 32) {
    return host_kernel::shuffle_from(value, static_cast<unsigned>(lane));
}
inline unsigned __float_as_uint(float value) {
    unsigned bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
}
inline float __uint_as_float(unsigned bits) {
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
}
inline float rsqrtf(float value) {
    return 1.0f / sqrtf(value);
}
inline double rsqrt(double value) {
    return 1.0 / sqrt(value);
}

// NAME_host(parameters, grid, block, dynamic shared bytes)
#define AOTSCOPE_HOST_ENTRY(name, synchronises)                                                              \
    extern "C" __attribute__((visibility("default"))) void name##_host(void** parameters, unsigned grid,     \
                                                                       unsigned block, unsigned) {           \
        host_kernel::caller<decltype(&name)>::run(&name, parameters, grid, block, synchronises);             \
    }
