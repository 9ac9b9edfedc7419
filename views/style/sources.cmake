foreach(name ink window_style)
    target_sources(aotscope_views PRIVATE ${CMAKE_CURRENT_LIST_DIR}/${name}.cpp ${CMAKE_CURRENT_LIST_DIR}/${name}.h)
endforeach()
target_sources(
    aotscope_views
    PRIVATE ${CMAKE_CURRENT_LIST_DIR}/parts.h ${CMAKE_CURRENT_LIST_DIR}/bars.cpp ${CMAKE_CURRENT_LIST_DIR}/buttons.cpp
            ${CMAKE_CURRENT_LIST_DIR}/docks.cpp ${CMAKE_CURRENT_LIST_DIR}/fields.cpp ${CMAKE_CURRENT_LIST_DIR}/items.cpp
            ${CMAKE_CURRENT_LIST_DIR}/menus.cpp)
