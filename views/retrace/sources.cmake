target_sources(
    aotscope_views
    PRIVATE ${CMAKE_CURRENT_LIST_DIR}/html_parts.h
            ${CMAKE_CURRENT_LIST_DIR}/metadata_text.cpp
            ${CMAKE_CURRENT_LIST_DIR}/metadata_text.h
            ${CMAKE_CURRENT_LIST_DIR}/pause_view.cpp
            ${CMAKE_CURRENT_LIST_DIR}/pause_view.h
            ${CMAKE_CURRENT_LIST_DIR}/retrace_files.cpp
            ${CMAKE_CURRENT_LIST_DIR}/retrace_files.h
            ${CMAKE_CURRENT_LIST_DIR}/retrace_panel.cpp
            ${CMAKE_CURRENT_LIST_DIR}/retrace_panel.h
            ${CMAKE_CURRENT_LIST_DIR}/retrace_panel_pause.cpp
            ${CMAKE_CURRENT_LIST_DIR}/retrace_panel_save.cpp
            ${CMAKE_CURRENT_LIST_DIR}/stage_bar.cpp
            ${CMAKE_CURRENT_LIST_DIR}/stage_bar.h
            ${CMAKE_CURRENT_LIST_DIR}/retrace_text.cpp
            ${CMAKE_CURRENT_LIST_DIR}/retrace_text.h)
