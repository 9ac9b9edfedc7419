foreach(
    name
    command_list
    compile_settings_dialog
    device_status
    go_to
    graph_dock
    graph_exporter
    job_status
    keys_dialog
    log_follower
    log_opener
    main_window
    menus
    panel_docks
    panel_links
    panel_spec
    quick_pick
    recent_files
    remembered
    rules_status
    subgraph
    tool_bar
    welcome_page)
    target_sources(aotscope_views PRIVATE ${CMAKE_CURRENT_LIST_DIR}/${name}.cpp ${CMAKE_CURRENT_LIST_DIR}/${name}.h)
endforeach()
target_sources(aotscope_views PRIVATE ${CMAKE_CURRENT_LIST_DIR}/dock_content.h ${CMAKE_CURRENT_LIST_DIR}/run_menus.cpp)
