target_sources(aotscope_views PRIVATE ${CMAKE_CURRENT_LIST_DIR}/engine_client.cpp)
