target_sources(
    aotscope_views
    PRIVATE ${CMAKE_CURRENT_LIST_DIR}/coloring.cpp
            ${CMAKE_CURRENT_LIST_DIR}/graph_facts.cpp
            ${CMAKE_CURRENT_LIST_DIR}/graph_scene.cpp
            ${CMAKE_CURRENT_LIST_DIR}/node_category.cpp
            ${CMAKE_CURRENT_LIST_DIR}/scene_painter.cpp
            ${CMAKE_CURRENT_LIST_DIR}/spatial_index.cpp)
