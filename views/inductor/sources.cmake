foreach(name generated_code_panel generated_kernel_model kernel_words)
    target_sources(aotscope_views PRIVATE ${CMAKE_CURRENT_LIST_DIR}/${name}.cpp ${CMAKE_CURRENT_LIST_DIR}/${name}.h)
endforeach()
target_sources(aotscope_views PRIVATE ${CMAKE_CURRENT_LIST_DIR}/generated_code_build.cpp
                                      ${CMAKE_CURRENT_LIST_DIR}/generated_code_selection.cpp)
