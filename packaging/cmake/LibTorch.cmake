# LibTorch as it lies in a PyPI wheel. Only libtorch_cpu and libc10 are linked; libtorch_cuda is opened at run
# time. The include folders come with -idirafter, because torch ships its own fmt beside its headers.
set(AOTSCOPE_TORCH_VERSION "2.15.0" CACHE STRING "The release of LibTorch to build against: 2.15.0 or 2.11.0")
if(NOT AOTSCOPE_LIBTORCH)
    set(cache "$ENV{XDG_CACHE_HOME}")
    if(NOT cache)
        set(cache "$ENV{HOME}/.cache")
    endif()
    set(installed "${cache}/aotscope/libtorch-${AOTSCOPE_TORCH_VERSION}")
    if(EXISTS "${installed}/torch/lib/libtorch_cpu.so")
        set(AOTSCOPE_LIBTORCH "${installed}" CACHE PATH "" FORCE)
    else()
        execute_process(
            COMMAND python3 -c "import importlib.util as u, os; print(os.path.dirname(os.path.dirname(u.find_spec('torch').origin)))"
            OUTPUT_VARIABLE site OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
        if(NOT failed)
            set(AOTSCOPE_LIBTORCH "${site}" CACHE PATH "" FORCE)
        endif()
    endif()
endif()
set(torch_dir "${AOTSCOPE_LIBTORCH}/torch")
if(NOT EXISTS "${torch_dir}/lib/libtorch_cpu.so")
    message(FATAL_ERROR "LibTorch ${AOTSCOPE_TORCH_VERSION} was not found. Run ./dev setup, or set AOTSCOPE_LIBTORCH to the folder "
                        "that holds torch/ and nvidia/, or configure with -DAOTSCOPE_TORCH=OFF.")
endif()

# A Python's own torch may be another release than the one asked for.
file(STRINGS "${torch_dir}/version.py" version_line REGEX "^__version__ *= *'")
string(REGEX MATCH "[0-9]+\\.[0-9]+" AOTSCOPE_LIBTORCH_RELEASE "${version_line}")
message(STATUS "LibTorch ${AOTSCOPE_LIBTORCH_RELEASE} in ${AOTSCOPE_LIBTORCH}")

add_library(aotscope_libtorch INTERFACE)
target_compile_options(
    aotscope_libtorch
    INTERFACE "SHELL:-idirafter ${torch_dir}/include" "SHELL:-idirafter ${torch_dir}/include/torch/csrc/api/include")
target_compile_definitions(aotscope_libtorch INTERFACE AT_PER_OPERATOR_HEADERS)
target_link_libraries(aotscope_libtorch INTERFACE ${torch_dir}/lib/libtorch_cpu.so ${torch_dir}/lib/libc10.so)
file(GLOB cuda_lib_dirs ${AOTSCOPE_LIBTORCH}/nvidia/*/lib)
target_link_options(aotscope_libtorch INTERFACE "-Wl,--allow-shlib-undefined")
# Torch's files want 1 to 1.6 GB of compiler memory each: two at a time, however many cores there are.
set_property(GLOBAL APPEND PROPERTY JOB_POOLS torch_compile=2)
