foreach(name band_raster live_set_model memory_axis memory_canvas memory_order memory_painter memory_panel memory_scene)
    target_sources(aotscope_views PRIVATE ${CMAKE_CURRENT_LIST_DIR}/${name}.cpp ${CMAKE_CURRENT_LIST_DIR}/${name}.h)
endforeach()
target_sources(aotscope_views PRIVATE ${CMAKE_CURRENT_LIST_DIR}/memory_canvas_events.cpp
                                      ${CMAKE_CURRENT_LIST_DIR}/memory_painter_curves.cpp
                                      ${CMAKE_CURRENT_LIST_DIR}/memory_painter_frame.h
                                      ${CMAKE_CURRENT_LIST_DIR}/memory_panel_run.cpp
                                      ${CMAKE_CURRENT_LIST_DIR}/memory_panel_words.cpp)
