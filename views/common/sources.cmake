target_sources(
    aotscope_views
    PRIVATE ${CMAKE_CURRENT_LIST_DIR}/engine_client.cpp
            ${CMAKE_CURRENT_LIST_DIR}/engine_client.h
            ${CMAKE_CURRENT_LIST_DIR}/selection_hub.cpp
            ${CMAKE_CURRENT_LIST_DIR}/selection_hub.h
            ${CMAKE_CURRENT_LIST_DIR}/style_sheet.cpp
            ${CMAKE_CURRENT_LIST_DIR}/theme.cpp
            ${CMAKE_CURRENT_LIST_DIR}/theme.h
            ${CMAKE_CURRENT_LIST_DIR}/view_context.h)
