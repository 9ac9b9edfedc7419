foreach(
    name
    compile_model
    compile_rows
    compile_tree
    compiles_panel
    inspector_panel
    inspector_text
    json_model
    payload_panel
    problem
    problem_model
    problems_panel
    run_model
    run_panel
    text_breakpoints
    text_panel)
    target_sources(aotscope_views PRIVATE ${CMAKE_CURRENT_LIST_DIR}/${name}.cpp ${CMAKE_CURRENT_LIST_DIR}/${name}.h)
endforeach()
target_sources(aotscope_views PRIVATE ${CMAKE_CURRENT_LIST_DIR}/compile_model_data.cpp
                                      ${CMAKE_CURRENT_LIST_DIR}/compile_model_rows.cpp)
