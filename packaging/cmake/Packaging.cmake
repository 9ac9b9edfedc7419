# What `cmake --install` lays down; the .deb itself comes with a later issue.

# The header that other programs include, and the package by which CMake finds it with the libraries behind it.
if(AOTSCOPE_TORCH)
    install(
        DIRECTORY ${CMAKE_SOURCE_DIR}/include/aotscope
        DESTINATION include
        COMPONENT engine)
    install(
        FILES ${CMAKE_SOURCE_DIR}/packaging/aotscope-config.cmake
        DESTINATION lib/cmake/aotscope
        COMPONENT engine)
endif()
