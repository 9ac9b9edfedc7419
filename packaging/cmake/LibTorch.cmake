# LibTorch as it lies in a PyPI wheel. Only libtorch_cpu and libc10 are linked; libtorch_cuda is opened at run
# time. The include folders come with -idirafter, because torch ships its own fmt beside its headers.
if(NOT AOTSCOPE_LIBTORCH)
    set(cache "$ENV{XDG_CACHE_HOME}")
    if(NOT cache)
        set(cache "$ENV{HOME}/.cache")
    endif()
    if(EXISTS "${cache}/aotscope/libtorch-2.11.0/torch/lib/libtorch_cpu.so")
        set(AOTSCOPE_LIBTORCH "${cache}/aotscope/libtorch-2.11.0" CACHE PATH "" FORCE)
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
    message(FATAL_ERROR "LibTorch 2.11 was not found. Run ./dev setup, or set AOTSCOPE_LIBTORCH to the folder "
                        "that holds torch/ and nvidia/, or configure with -DAOTSCOPE_TORCH=OFF.")
endif()

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
