target_sources(
    aotscope_views
    PRIVATE ${CMAKE_CURRENT_LIST_DIR}/aligned_rows.cpp
            ${CMAKE_CURRENT_LIST_DIR}/compare_models.cpp
            ${CMAKE_CURRENT_LIST_DIR}/compare_models.h
            ${CMAKE_CURRENT_LIST_DIR}/compare_panel.cpp
            ${CMAKE_CURRENT_LIST_DIR}/compare_panel.h
            ${CMAKE_CURRENT_LIST_DIR}/compare_panel_build.cpp
            ${CMAKE_CURRENT_LIST_DIR}/compare_panel_state.h
            ${CMAKE_CURRENT_LIST_DIR}/graph_list_model.cpp
            ${CMAKE_CURRENT_LIST_DIR}/graph_list_model.h)
