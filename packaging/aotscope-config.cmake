# The package of aotscope's public header: aotscope::aotscope, to be found by find_package(aotscope). A program that links
# it loads LibTorch when it starts.
get_filename_component(aotscope_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET aotscope::aotscope)
    add_library(aotscope::aotscope SHARED IMPORTED)
    set_target_properties(
        aotscope::aotscope
        PROPERTIES IMPORTED_LOCATION "${aotscope_prefix}/lib/aotscope/libaotscope_torch.so"
                   IMPORTED_NO_SONAME ON
                   INTERFACE_INCLUDE_DIRECTORIES "${aotscope_prefix}/include"
                   INTERFACE_COMPILE_FEATURES cxx_std_20
                   # What LibTorch's libraries want of CUDA is opened at run time, if at all.
                   INTERFACE_LINK_OPTIONS "-Wl,--allow-shlib-undefined")
endif()
