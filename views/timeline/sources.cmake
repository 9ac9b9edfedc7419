foreach(name timeline_canvas timeline_details timeline_painter timeline_panel timeline_scene)
    target_sources(aotscope_views PRIVATE ${CMAKE_CURRENT_LIST_DIR}/${name}.cpp ${CMAKE_CURRENT_LIST_DIR}/${name}.h)
endforeach()
target_sources(aotscope_views PRIVATE ${CMAKE_CURRENT_LIST_DIR}/timeline_canvas_events.cpp
                                      ${CMAKE_CURRENT_LIST_DIR}/timeline_look.h
                                      ${CMAKE_CURRENT_LIST_DIR}/timeline_painter_overlay.cpp
                                      ${CMAKE_CURRENT_LIST_DIR}/timeline_panel_run.cpp)
