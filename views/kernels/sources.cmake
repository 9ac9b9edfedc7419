foreach(
    name
    kernel_launch
    kernel_model
    kernel_page
    kernel_source
    kernel_variants
    kernels_panel
    rerun_form
    rerun_history
    rerun_plot
    rerun_values_model
    rerun_words)
    target_sources(aotscope_views PRIVATE ${CMAKE_CURRENT_LIST_DIR}/${name}.cpp ${CMAKE_CURRENT_LIST_DIR}/${name}.h)
endforeach()
