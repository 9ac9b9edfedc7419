#include "kernels/device_figures.h"

#include "kernels/kernel_texts.h"
#include "kernels/scan_text.h"

#include "base/joined.h"
#include "base/numbers.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace aotscope::kernels {

namespace {

struct Column {
    std::string_view key;
    double DeviceFigures::*member;
    double unit;
};

constexpr double tera = 1e12;
constexpr std::array<Column, 10> columns{Column{"boost_mhz", &DeviceFigures::boostHertz, 1e6},
                                         Column{"memory_gb", &DeviceFigures::memoryBytes, 1e9},
                                         Column{"l2_mib", &DeviceFigures::l2Bytes, 1024.0 * 1024.0},
                                         Column{"bandwidth_gbs", &DeviceFigures::bandwidth, 1e9},
                                         Column{"fp64", &DeviceFigures::fp64, tera},
                                         Column{"fp64_tensor", &DeviceFigures::fp64Tensor, tera},
                                         Column{"fp32", &DeviceFigures::fp32, tera},
                                         Column{"tf32_tensor", &DeviceFigures::tf32Tensor, tera},
                                         Column{"bf16_tensor", &DeviceFigures::bf16Tensor, tera},
                                         Column{"fp8_tensor", &DeviceFigures::fp8Tensor, tera}};

/// "key = value"; false: no such key, or no such value.
bool readColumn(std::string_view line, DeviceFigures& device) {
    constexpr std::string_view between = " = ";
    const std::size_t at = line.find(between);
    if (at == std::string_view::npos) {
        return false;
    }
    const std::string_view key = line.substr(0, at);
    const std::string_view value = line.substr(at + between.size());
    if (key == "architecture") {
        device.architecture = value;
        return !value.empty();
    }
    const auto number = base::wholeNumber<double>(value);
    if (!number || !(*number >= 0)) {
        return false;
    }
    if (key == "multiprocessors") {
        device.multiprocessors = static_cast<int>(*number);
        return true;
    }
    for (const Column& column : columns) {
        if (column.key == key) {
            device.*column.member = *number * column.unit;
            return true;
        }
    }
    return false;
}

/// Without blanks, in lower case.
std::string plainName(std::string_view name) {
    std::string plain;
    for (const char c : name) {
        if (c != ' ') {
            plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    return plain;
}

} // namespace

double DeviceFigures::matrixPeak(ir::DType dtype, bool allowsTf32) const {
    using ir::DType;
    const bool isHalf = dtype == DType::Float16 || dtype == DType::BFloat16;
    const bool isFloat8 = dtype == DType::Float8E4M3FN || dtype == DType::Float8E5M2;
    const double peak = isHalf                                  ? bf16Tensor
                        : isFloat8                              ? fp8Tensor
                        : dtype == DType::Float64               ? fp64Tensor
                        : dtype == DType::Float32 && allowsTf32 ? tf32Tensor
                                                                : 0;
    return peak > 0 ? peak : vectorPeak(dtype);
}

double DeviceFigures::vectorPeak(ir::DType dtype) const {
    return dtype == ir::DType::Float64 || dtype == ir::DType::Complex128 ? fp64 : fp32;
}

const std::vector<DeviceFigures>& shippedDevices() {
    static const std::vector<DeviceFigures> devices = [] {
        auto read = readDeviceFigures(detail::deviceFiguresText());
        // A test reads the table; a broken one shows as an empty list.
        return read ? *std::move(read) : std::vector<DeviceFigures>();
    }();
    return devices;
}

base::Result<DeviceFigures> deviceByName(std::string_view name) {
    const std::string wanted = plainName(name);
    for (const DeviceFigures& device : shippedDevices()) {
        if (!wanted.empty() && plainName(device.name).starts_with(wanted)) {
            return device;
        }
    }
    return base::Error{.code = "kernels.unknown_device",
                       .message = "No figures ship for a device named \"" + std::string(name) + "\".",
                       .hint =
                           "Known are " + base::joined(shippedDevices(), ", ", &DeviceFigures::name) + "."};
}

base::Result<std::vector<DeviceFigures>> readDeviceFigures(std::string_view text) {
    std::vector<DeviceFigures> devices;
    std::size_t number = 0;
    while (!text.empty()) {
        std::string_view line = takeLine(text);
        ++number;
        if (line.empty()) {
            continue;
        }
        if (takeWord(line, "=== ")) {
            devices.emplace_back().name = line;
        } else if (takeWord(line, "# ")) {
            if (!devices.empty()) {
                devices.back().source += (devices.back().source.empty() ? "" : " ") + std::string(line);
            }
        } else if (devices.empty() || !readColumn(line, devices.back())) {
            return base::Error{.code = "kernels.bad_devices",
                               .message =
                                   "The table of devices has a line of no known form: " + std::string(line),
                               .place = {"device_figures.txt", number, 0, {}}};
        }
    }
    return devices;
}

double PredictedTime::seconds() const {
    return std::max({transferSeconds, computeSeconds, launchSeconds});
}

PredictedTime predictTime(const DeviceFigures& device, const KernelWork& work) {
    const auto quotient = [](double amount, double rate) {
        return amount > 0 && rate > 0 ? amount / rate : 0.0;
    };
    PredictedTime time;
    time.launchSeconds = launchSeconds;
    time.transferSeconds = quotient(work.bytesRead + work.bytesWritten, device.bandwidth);
    // Tensor cores and the others work at the same time.
    time.computeSeconds =
        std::max(quotient(work.matrixOperations, device.matrixPeak(work.dtype, work.allowsTf32)),
                 quotient(work.vectorOperations, device.vectorPeak(work.dtype)));
    if (time.transferSeconds >= std::max(time.computeSeconds, time.launchSeconds)) {
        time.limit = TimeLimit::Memory;
    } else if (time.computeSeconds >= time.launchSeconds) {
        time.limit = TimeLimit::Compute;
    }
    return time;
}

} // namespace aotscope::kernels
