foreach(
    name
    graph_dock
    job_status
    keys_dialog
    log_follower
    main_window
    quick_pick
    recent_files
    subgraph
    welcome_page)
    target_sources(aotscope_views PRIVATE ${CMAKE_CURRENT_LIST_DIR}/${name}.cpp ${CMAKE_CURRENT_LIST_DIR}/${name}.h)
endforeach()
target_sources(
    aotscope_views PRIVATE ${CMAKE_CURRENT_LIST_DIR}/dock_content.h
                           ${CMAKE_CURRENT_LIST_DIR}/go_to.cpp ${CMAKE_CURRENT_LIST_DIR}/window_actions.cpp
                           ${CMAKE_CURRENT_LIST_DIR}/window_docks.cpp
                           ${CMAKE_CURRENT_LIST_DIR}/window_files.cpp
                           ${CMAKE_CURRENT_LIST_DIR}/window_toolbar.cpp)
