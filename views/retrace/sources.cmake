target_sources(
    aotscope_views
    PRIVATE ${CMAKE_CURRENT_LIST_DIR}/retrace_panel.cpp
            ${CMAKE_CURRENT_LIST_DIR}/retrace_panel.h
            ${CMAKE_CURRENT_LIST_DIR}/retrace_text.cpp
            ${CMAKE_CURRENT_LIST_DIR}/retrace_text.h)
