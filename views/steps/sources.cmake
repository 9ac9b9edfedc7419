foreach(
    name
    alive_view
    current_call
    eager_view
    event_filter
    event_model
    event_tree
    events_panel
    stack_canvas
    step_bar
    value_model
    value_rows
    wrapper_text
    wrappers_panel)
    target_sources(aotscope_views PRIVATE ${CMAKE_CURRENT_LIST_DIR}/${name}.cpp ${CMAKE_CURRENT_LIST_DIR}/${name}.h)
endforeach()
target_sources(aotscope_views PRIVATE ${CMAKE_CURRENT_LIST_DIR}/current_call_steps.cpp
                                      ${CMAKE_CURRENT_LIST_DIR}/wrappers_panel_build.cpp)
