// What fused kernels use besides CUDA's own functions. Includes no header, so that NVRTC needs none on disk; the same
// text compiles on the host after kernel_host_shim.h.

// ---- Small floats. Kernels keep them in registers as the float that they mean; `round_to` gives the rounding that
// ---- storing and loading would.

typedef signed char int8;
typedef short int16;
typedef long long int64;
typedef unsigned char uint8;
typedef unsigned short uint16;
typedef unsigned int uint32;
typedef unsigned long long uint64;

struct bfloat16 { unsigned short bits; };
struct float16 { unsigned short bits; };
struct float8_e4m3fn { unsigned char bits; };
struct float8_e5m2 { unsigned char bits; };
struct float8_e4m3fnuz { unsigned char bits; };
struct float8_e5m2fnuz { unsigned char bits; };

__device__ __forceinline__ unsigned float_bits(float value) { return __float_as_uint(value); }
__device__ __forceinline__ float bits_float(unsigned bits) { return __uint_as_float(bits); }

// A float with `exponent_bits` and `mantissa_bits`, rounded to nearest, ties to even. `finite`: there is no infinity.
// `one_zero` (the fnuz types): no negative zero, whose code is NaN.
template<int exponent_bits, int mantissa_bits, int bias, bool finite, bool one_zero>
__device__ __forceinline__ unsigned small_from_float(float value) {
    const unsigned bits = float_bits(value);
    const unsigned sign = (bits >> 31) << (exponent_bits + mantissa_bits);
    const unsigned magnitude = bits & 0x7fffffffu;
    const unsigned top = ((1u << exponent_bits) - 1u) << mantissa_bits;
    const unsigned all = (1u << (exponent_bits + mantissa_bits)) - 1u;
    const unsigned nan = one_zero ? (1u << (exponent_bits + mantissa_bits)) : (finite ? sign | all : sign | all);
    if (magnitude > 0x7f800000u) {
        return nan;
    }
    // The first power of two that no finite code reaches.
    const int largest_exponent = one_zero || finite ? (1 << exponent_bits) - bias : (1 << exponent_bits) - 1 - bias;
    if (magnitude >= (unsigned)(largest_exponent + 127) << 23) {
        // float8_e4m3fn takes its largest number for what is beyond its range, since torch 2.15.
        return one_zero ? nan : finite ? sign | (all - 1u) : sign | top;
    }
    unsigned code;
    if (magnitude < (unsigned)(1 - bias + 127) << 23) {
        code = (unsigned)rintf(bits_float(magnitude) * bits_float((unsigned)(bias - 1 + mantissa_bits + 127) << 23));
    } else {
        const int dropped = 23 - mantissa_bits;
        const unsigned rounded = magnitude + ((1u << (dropped - 1)) - 1u) + ((magnitude >> dropped) & 1u);
        code = (rounded >> dropped) - ((unsigned)(127 - bias) << mantissa_bits);
    }
    if (one_zero) {
        return code > all ? nan : (code == 0u ? 0u : sign | code);
    }
    return finite && code >= all ? sign | (all - 1u) : sign | code;
}

template<int exponent_bits, int mantissa_bits, int bias, bool finite, bool one_zero>
__device__ __forceinline__ float small_to_float(unsigned code) {
    const unsigned all = (1u << (exponent_bits + mantissa_bits)) - 1u;
    const unsigned sign = (code >> (exponent_bits + mantissa_bits)) << 31;
    const unsigned magnitude = code & all;
    const unsigned top = ((1u << exponent_bits) - 1u) << mantissa_bits;
    if (one_zero && sign != 0u && magnitude == 0u) {
        return bits_float(0x7fc00000u);
    }
    if (finite && !one_zero && magnitude == all) {
        return bits_float(sign | 0x7fc00000u);
    }
    if (!finite && !one_zero && magnitude >= top) {
        return bits_float(sign | 0x7f800000u | ((magnitude - top) << (23 - mantissa_bits)));
    }
    if (magnitude < (1u << mantissa_bits)) {
        const float scale = bits_float((unsigned)(1 - bias - mantissa_bits + 127) << 23);
        return bits_float(sign | float_bits((float)magnitude * scale));
    }
    return bits_float(sign | ((magnitude << (23 - mantissa_bits)) + ((unsigned)(127 - bias) << 23)));
}

__device__ __forceinline__ float to_float(bfloat16 value) { return bits_float((unsigned)value.bits << 16); }
__device__ __forceinline__ float to_float(float8_e4m3fn value) { return small_to_float<4, 3, 7, true, false>(value.bits); }
__device__ __forceinline__ float to_float(float8_e5m2 value) { return small_to_float<5, 2, 15, false, false>(value.bits); }
__device__ __forceinline__ float to_float(float8_e4m3fnuz value) { return small_to_float<4, 3, 8, true, true>(value.bits); }
__device__ __forceinline__ float to_float(float8_e5m2fnuz value) { return small_to_float<5, 2, 16, true, true>(value.bits); }
__device__ __forceinline__ float to_float(float16 value) {
#ifdef __CUDA_ARCH__
    float result;
    asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(value.bits));
    return result;
#else
    return small_to_float<5, 10, 15, false, false>(value.bits);
#endif
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
// Two are one instruction at full rate; the one for a single number is not.
__device__ __forceinline__ unsigned bfloat16_pair(float low, float high) {
    unsigned pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
}
#endif
__device__ __forceinline__ void from_float(float value, bfloat16& result) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    result.bits = (unsigned short)bfloat16_pair(value, 0.0f);
#else
    const unsigned bits = float_bits(value);
    result.bits = value != value ? 0x7fc0 : (unsigned short)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
#endif
}
__device__ __forceinline__ void from_float(float value, float16& result) {
#ifdef __CUDA_ARCH__
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result.bits) : "f"(value));
#else
    result.bits = (unsigned short)small_from_float<5, 10, 15, false, false>(value);
#endif
}
__device__ __forceinline__ void from_float(float value, float8_e4m3fn& result) {
    result.bits = (unsigned char)small_from_float<4, 3, 7, true, false>(value);
}
__device__ __forceinline__ void from_float(float value, float8_e5m2& result) {
    result.bits = (unsigned char)small_from_float<5, 2, 15, false, false>(value);
}
__device__ __forceinline__ void from_float(float value, float8_e4m3fnuz& result) {
    result.bits = (unsigned char)small_from_float<4, 3, 8, true, true>(value);
}
__device__ __forceinline__ void from_float(float value, float8_e5m2fnuz& result) {
    result.bits = (unsigned char)small_from_float<5, 2, 16, true, true>(value);
}

template<typename T> __device__ __forceinline__ float round_to(float value) {
    T stored;
    from_float(value, stored);
    return to_float(stored);
}
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
// A float's upper half is the number.
template<> __device__ __forceinline__ float round_to<bfloat16>(float value) { return bits_float(bfloat16_pair(0.0f, value)); }
#endif

// ---- Loads and stores: what a tensor holds, and what registers hold.

template<typename T> struct in_register { typedef T type; };
template<> struct in_register<bfloat16> { typedef float type; };
template<> struct in_register<float16> { typedef float type; };
template<> struct in_register<float8_e4m3fn> { typedef float type; };
template<> struct in_register<float8_e5m2> { typedef float type; };
template<> struct in_register<float8_e4m3fnuz> { typedef float type; };
template<> struct in_register<float8_e5m2fnuz> { typedef float type; };

template<typename T> __device__ __forceinline__ T to_register(T value) { return value; }
__device__ __forceinline__ float to_register(bfloat16 value) { return to_float(value); }
__device__ __forceinline__ float to_register(float16 value) { return to_float(value); }
__device__ __forceinline__ float to_register(float8_e4m3fn value) { return to_float(value); }
__device__ __forceinline__ float to_register(float8_e5m2 value) { return to_float(value); }
__device__ __forceinline__ float to_register(float8_e4m3fnuz value) { return to_float(value); }
__device__ __forceinline__ float to_register(float8_e5m2fnuz value) { return to_float(value); }

template<typename T> __device__ __forceinline__ void from_register(T value, T& result) { result = value; }
__device__ __forceinline__ void from_register(float value, bfloat16& result) { from_float(value, result); }
__device__ __forceinline__ void from_register(float value, float16& result) { from_float(value, result); }
__device__ __forceinline__ void from_register(float value, float8_e4m3fn& result) { from_float(value, result); }
__device__ __forceinline__ void from_register(float value, float8_e5m2& result) { from_float(value, result); }
__device__ __forceinline__ void from_register(float value, float8_e4m3fnuz& result) { from_float(value, result); }
__device__ __forceinline__ void from_register(float value, float8_e5m2fnuz& result) { from_float(value, result); }

template<typename T> __device__ __forceinline__ typename in_register<T>::type load(const T* place) {
    return to_register(*place);
}
template<typename T> __device__ __forceinline__ void store(T* place, typename in_register<T>::type value) {
    from_register(value, *place);
}

// `count` neighbours as one access of their whole size. `place` must be a multiple of it.
template<typename T, int count> struct alignas(sizeof(T) * count) pack { T items[count]; };

template<int count, typename T>
__device__ __forceinline__ void load_vector(const T* place, typename in_register<T>::type (&values)[count]) {
    const pack<T, count> loaded = *reinterpret_cast<const pack<T, count>*>(place);
#pragma unroll
    for (int lane = 0; lane < count; ++lane) {
        values[lane] = to_register(loaded.items[lane]);
    }
}
template<int count, typename T>
__device__ __forceinline__ void store_vector(T* place, const typename in_register<T>::type (&values)[count]) {
    pack<T, count> stored;
#pragma unroll
    for (int lane = 0; lane < count; ++lane) {
        from_register(values[lane], stored.items[lane]);
    }
    *reinterpret_cast<pack<T, count>*>(place) = stored;
}
// The same, one by one unless `whole`, and only the first `lanes`.
template<int count, typename T>
__device__ __forceinline__ void load_lanes(const T* place, bool whole, int lanes,
                                           typename in_register<T>::type (&values)[count]) {
    if (whole) {
        load_vector<count>(place, values);
        return;
    }
#pragma unroll
    for (int lane = 0; lane < count; ++lane) {
        if (lane < lanes) {
            values[lane] = load(place + lane);
        }
    }
}
template<int count, typename T>
__device__ __forceinline__ void store_lanes(T* place, bool whole, int lanes,
                                            const typename in_register<T>::type (&values)[count]) {
    if (whole) {
        store_vector<count>(place, values);
        return;
    }
#pragma unroll
    for (int lane = 0; lane < count; ++lane) {
        if (lane < lanes) {
            store(place + lane, values[lane]);
        }
    }
}
__device__ __forceinline__ bool is_aligned(const void* place, unsigned bytes) {
    return ((unsigned long long)place & (bytes - 1u)) == 0u;
}

// ---- Arithmetic with PyTorch's rules.

template<typename T> __device__ __forceinline__ bool is_nan(T value) { return value != value; }
// NaN wins.
template<typename T> __device__ __forceinline__ T max_nan(T left, T right) {
    return is_nan(left) || left > right ? left : right;
}
template<typename T> __device__ __forceinline__ T min_nan(T left, T right) {
    return is_nan(left) || left < right ? left : right;
}
template<typename T> __device__ __forceinline__ T clamp_nan(T value, T low, T high) {
    return is_nan(value) ? value : (value < low ? low : value) > high ? high : (value < low ? low : value);
}
template<typename T> __device__ __forceinline__ T sign_of(T value) { return (T)((value > T(0)) - (value < T(0))); }

template<typename T> __device__ __forceinline__ T divide_trunc(T left, T right) { return right == T(0) ? T(0) : T(left / right); }
template<typename T> __device__ __forceinline__ T divide_floor(T left, T right) {
    if (right == T(0)) {
        return T(0);
    }
    const T quotient = T(left / right);
    return T(quotient * right) != left && (left < T(0)) != (right < T(0)) ? T(quotient - T(1)) : quotient;
}
template<typename T> __device__ __forceinline__ T remainder_floor(T left, T right) {
    if (right == T(0)) {
        return T(0);
    }
    const T rest = T(left % right);
    return rest != T(0) && (rest < T(0)) != (right < T(0)) ? T(rest + right) : rest;
}
template<typename T> __device__ __forceinline__ T remainder_trunc(T left, T right) { return right == T(0) ? T(0) : T(left % right); }

__device__ __forceinline__ float remainder_floor(float left, float right) {
    const float rest = fmodf(left, right);
    return rest != 0.0f && (right < 0.0f) != (rest < 0.0f) ? rest + right : rest;
}
__device__ __forceinline__ double remainder_floor(double left, double right) {
    const double rest = fmod(left, right);
    return rest != 0.0 && (right < 0.0) != (rest < 0.0) ? rest + right : rest;
}
__device__ __forceinline__ float divide_floor(float left, float right) {
    if (right == 0.0f) {
        return left / right;
    }
    const float rest = fmodf(left, right);
    float quotient = (left - rest) / right;
    if (rest != 0.0f && (right < 0.0f) != (rest < 0.0f)) {
        quotient -= 1.0f;
    }
    if (quotient == 0.0f) {
        return copysignf(0.0f, left / right);
    }
    const float floored = floorf(quotient);
    return quotient - floored > 0.5f ? floored + 1.0f : floored;
}
__device__ __forceinline__ double divide_floor(double left, double right) {
    if (right == 0.0) {
        return left / right;
    }
    const double rest = fmod(left, right);
    double quotient = (left - rest) / right;
    if (rest != 0.0 && (right < 0.0) != (rest < 0.0)) {
        quotient -= 1.0;
    }
    if (quotient == 0.0) {
        return copysign(0.0, left / right);
    }
    const double floored = floor(quotient);
    return quotient - floored > 0.5 ? floored + 1.0 : floored;
}
template<typename T> __device__ __forceinline__ T power_of_integer(T base, T exponent) {
    if (exponent < T(0)) {
        return base == T(1) ? T(1) : base == T(-1) ? (exponent % T(2) != T(0) ? T(-1) : T(1)) : T(0);
    }
    T result = T(1);
    while (exponent != T(0)) {
        if (exponent % T(2) != T(0)) {
            result = T(result * base);
        }
        exponent = T(exponent / T(2));
        base = T(base * base);
    }
    return result;
}
// Shifts by the width or more are defined in PyTorch.
template<typename T> __device__ __forceinline__ T shift_left(T value, T by) {
    return by < T(0) || by >= T(sizeof(T) * 8) ? T(0) : T((unsigned long long)value << by);
}
template<typename T> __device__ __forceinline__ T shift_right(T value, T by) {
    const T most = T(sizeof(T) * 8 - (T(-1) < T(0) ? 1 : 0));
    return by < T(0) || by >= most ? T(value < T(0) ? -1 : 0) : T(value >> by);
}
// A float as an integer; to unsigned types by way of a signed one, so that negative numbers wrap.
template<typename T, typename F> __device__ __forceinline__ T integer_from(F value) {
    return T(-1) < T(0) ? (T)value : (T)(long long)value;
}

// ---- Reductions of a row by the threads of a warp (`threads` at most 32) or of a block. All threads get the result,
// ---- which is the same in every run.

struct sum_of { template<typename T> __device__ __forceinline__ T operator()(T a, T b) const { return a + b; } };
struct product_of { template<typename T> __device__ __forceinline__ T operator()(T a, T b) const { return a * b; } };
struct largest_of { template<typename T> __device__ __forceinline__ T operator()(T a, T b) const { return max_nan(a, b); } };
struct smallest_of { template<typename T> __device__ __forceinline__ T operator()(T a, T b) const { return min_nan(a, b); } };

template<int threads, typename Operation, typename T> __device__ __forceinline__ T reduce_row(T value) {
    const Operation operation;
#pragma unroll
    for (int offset = threads < 32 ? threads / 2 : 16; offset > 0; offset /= 2) {
        value = operation(value, (T)__shfl_xor_sync(0xffffffffu, value, offset));
    }
    if (threads > 32) {
        __shared__ T parts[threads > 32 ? threads / 32 : 1];
        __syncthreads();
        if (threadIdx.x % 32 == 0) {
            parts[threadIdx.x / 32] = value;
        }
        __syncthreads();
        value = parts[0];
        for (int warp = 1; warp < threads / 32; ++warp) {
            value = operation(value, parts[warp]);
        }
    }
    return value;
}

// ---- Philox 4x32-10, the random numbers of CUDA's generators.

struct four_words { unsigned x, y, z, w; };
__device__ __forceinline__ four_words philox(unsigned long long seed, unsigned long long subsequence,
                                             unsigned long long offset) {
    unsigned key_x = (unsigned)seed, key_y = (unsigned)(seed >> 32);
    four_words c = {(unsigned)offset, (unsigned)(offset >> 32), (unsigned)subsequence, (unsigned)(subsequence >> 32)};
#pragma unroll
    for (int turn = 0; turn < 10; ++turn) {
        const unsigned long long first = 0xD2511F53ull * c.x, second = 0xCD9E8D57ull * c.z;
        c = {(unsigned)(second >> 32) ^ c.y ^ key_x, (unsigned)second, (unsigned)(first >> 32) ^ c.w ^ key_y, (unsigned)first};
        key_x += 0x9E3779B9u;
        key_y += 0xBB67AE85u;
    }
    return c;
}
// The number that PyTorch's uniform generator gives element `index` when `threads` threads fill a tensor: each takes four
// numbers at a time, for elements that lie `threads` apart.
__device__ __forceinline__ float philox_uniform(int64 seed, int64 offset, int64 index, int64 threads) {
    const int64 turn = index / threads;
    const four_words words = philox((unsigned long long)seed, (unsigned long long)(index % threads),
                                    (unsigned long long)(offset / 4 + turn / 4));
    const unsigned word = turn % 4 == 0 ? words.x : turn % 4 == 1 ? words.y : turn % 4 == 2 ? words.z : words.w;
    const float number = (float)word * 2.3283064365386963e-10f + 1.1641532182693481e-10f;
    return number == 1.0f ? 0.0f : number;
}
