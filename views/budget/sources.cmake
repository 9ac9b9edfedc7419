foreach(name budget_canvas budget_panel budget_plot budget_sweeps)
    target_sources(aotscope_views PRIVATE ${CMAKE_CURRENT_LIST_DIR}/${name}.cpp ${CMAKE_CURRENT_LIST_DIR}/${name}.h)
endforeach()
