foreach(
    name
    byte_amount
    capsule_delegate
    capsule_model
    capsule_rows
    capsule_view
    gradient_model
    gradient_names
    gradient_view
    hook_choices
    hook_curves
    hook_editor
    hook_graph_text
    hook_measures
    hook_scatter
    inlining_bar
    inlining_panel
    notice_strip
    plot_axes
    program_hooks
    suggest_form)
    target_sources(aotscope_views PRIVATE ${CMAKE_CURRENT_LIST_DIR}/${name}.cpp ${CMAKE_CURRENT_LIST_DIR}/${name}.h)
endforeach()
target_sources(aotscope_views PRIVATE ${CMAKE_CURRENT_LIST_DIR}/choice_items.h
                                      ${CMAKE_CURRENT_LIST_DIR}/inlining_panel_build.cpp
                                      ${CMAKE_CURRENT_LIST_DIR}/inlining_panel_notices.cpp)
