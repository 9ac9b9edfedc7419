#include "dispatch/handled_error.h"

#include "dispatch/failure.h"
#include "dispatch/lost_device.h"

#include "torch_headers.h"

#include "ir/graph.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <new>
#include <optional>
#include <string_view>

namespace aotscope::torch {

namespace {

/// Some of LibTorch's messages name the throwing function even without a backtrace, and where a backend has
/// no kernel guesses at reasons and lists all backends follow.
std::string messageOf(const c10::Error& error) {
    std::string text = error.what_without_backtrace();
    text = text.substr(0, text.find("\nException raised from"));
    const std::size_t guesses =
        text.find(" This could be because the operator doesn't exist for this backend");
    return text.substr(0, guesses);
}

/// What a check of LibTorch's own says, without its place in LibTorch's sources and the plea to report it,
/// which mean nothing to a person who did not call LibTorch. Nothing: the message is no such check's.
std::optional<std::string> failedCheck(const std::string& message) {
    constexpr std::string_view mark = "INTERNAL ASSERT FAILED";
    constexpr std::string_view plea = "please report a bug to PyTorch.";
    const std::size_t at = message.find(mark);
    if (at == std::string::npos) {
        return std::nullopt;
    }
    const std::size_t end = message.find(plea, at);
    std::string detail = end == std::string::npos ? std::string() : message.substr(end + plea.size());
    detail.erase(0, std::min(detail.find_first_not_of(' '), detail.size()));
    detail = firstLine(detail);
    while (detail.ends_with(' ') || detail.ends_with('.')) {
        detail.pop_back();
    }
    std::string condition = message.substr(0, at);
    while (condition.ends_with(' ')) {
        condition.pop_back();
    }
    return detail.empty() ? condition : detail;
}

} // namespace

base::Error handledError(std::string code) {
    base::Error result;
    result.code = std::move(code);
    try {
        throw;
    } catch (const RunFailure& failure) {
        return failure.error();
    } catch (const c10::OutOfMemoryError& error) {
        result.code = "run.too_large";
        result.message = firstLine(messageOf(error));
        result.hint = "Choose smaller values for the graph's symbols.";
    } catch (const c10::AcceleratorError& error) {
        const std::string message = messageOf(error);
        if (losesDevice(error.get_error_code()) || namesLostDevice(message)) {
            return lostDeviceError(firstLine(message));
        }
        result.message = message;
    } catch (const c10::Error& error) {
        result.message = messageOf(error);
        if (const auto check = failedCheck(result.message)) {
            result.code = std::string(internalCheckCode);
            result.message = "a check inside LibTorch failed (" + *check + ")";
        }
        // cuBLAS and others pass CUDA's errors on in words.
        if (namesLostDevice(result.message)) {
            return lostDeviceError(firstLine(result.message));
        }
    } catch (const std::bad_alloc&) {
        result.code = "run.too_large";
        result.message = "The memory is used up.";
    } catch (const std::exception& error) {
        result.message = error.what();
    }
    return result;
}

base::Error survivedError(std::string code) {
    base::Error error = handledError(std::move(code));
    if (error.code == "cuda.lost") {
        throw RunFailure(std::move(error));
    }
    return error;
}

bool addNode(base::Error& error, const ir::Node& node) {
    if (!error.place.node.empty()) {
        return false;
    }
    error.place.node = node.name;
    error.message = "The node " + node.name + " (" + node.target + ") failed: " + error.message;
    return true;
}

std::string firstLine(const std::string& message) {
    return message.substr(0, message.find('\n'));
}

} // namespace aotscope::torch
