foreach(name histogram_canvas value_canvas value_dimensions value_table_model value_words values_panel)
    target_sources(aotscope_views PRIVATE ${CMAKE_CURRENT_LIST_DIR}/${name}.cpp ${CMAKE_CURRENT_LIST_DIR}/${name}.h)
endforeach()
