foreach(
    name
    background
    breakpoint_list
    clipboard
    code_accessible
    code_highlighter
    code_text
    code_view
    current_graph
    difference_style
    elided_label
    empty_page
    engine_client
    file_jobs
    find_bar
    fitting_column
    giving_way
    format
    give_keyboard
    html
    graph_totals
    icons
    log_list
    picture_accessible
    plain_words
    request
    retry_button
    selection_hub
    theme
    write_file)
    target_sources(aotscope_views PRIVATE ${CMAKE_CURRENT_LIST_DIR}/${name}.cpp ${CMAKE_CURRENT_LIST_DIR}/${name}.h)
endforeach()
target_sources(
    aotscope_views PRIVATE ${CMAKE_CURRENT_LIST_DIR}/code_view_events.cpp
                           ${CMAKE_CURRENT_LIST_DIR}/latest_answer.h ${CMAKE_CURRENT_LIST_DIR}/panel_layout.h
                           ${CMAKE_CURRENT_LIST_DIR}/row_order.h
                           ${CMAKE_CURRENT_LIST_DIR}/view_context.h)
