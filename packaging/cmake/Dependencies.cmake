# What the program is built on. The engine-only preset must configure on a machine with no Qt, no spdlog, no
# Graphviz and no network: whatever it can do without is optional here and said in the summary. Header-only
# libraries may lie in third_party/ (put there by `./dev carry`) instead of the system.
include(FeatureSummary)
find_package(Threads REQUIRED)

list(PREPEND CMAKE_PREFIX_PATH ${CMAKE_SOURCE_DIR}/third_party)

find_path(AOTSCOPE_NLOHMANN_INCLUDE nlohmann/json.hpp HINTS ${CMAKE_SOURCE_DIR}/third_party/include REQUIRED)
find_path(AOTSCOPE_CLI11_INCLUDE CLI/CLI.hpp HINTS ${CMAKE_SOURCE_DIR}/third_party/include REQUIRED)
find_path(AOTSCOPE_BOOST_INCLUDE boost/graph/boykov_kolmogorov_max_flow.hpp
          HINTS ${CMAKE_SOURCE_DIR}/third_party/include REQUIRED)
find_path(AOTSCOPE_DOCTEST_INCLUDE doctest/doctest.h HINTS ${CMAKE_SOURCE_DIR}/third_party/include)
foreach(library nlohmann cli11 doctest boost)
    string(TOUPPER ${library} upper)
    add_library(aotscope_dep_${library} INTERFACE)
    target_include_directories(aotscope_dep_${library} SYSTEM INTERFACE ${AOTSCOPE_${upper}_INCLUDE})
endforeach()

find_package(simdjson QUIET)
if(NOT simdjson_FOUND)
    # Header and library, carried along.
    find_path(AOTSCOPE_SIMDJSON_INCLUDE simdjson.h HINTS ${CMAKE_SOURCE_DIR}/third_party/include REQUIRED)
    find_library(AOTSCOPE_SIMDJSON_LIBRARY simdjson HINTS ${CMAKE_SOURCE_DIR}/third_party/lib REQUIRED)
    add_library(simdjson::simdjson SHARED IMPORTED)
    set_target_properties(
        simdjson::simdjson PROPERTIES IMPORTED_LOCATION ${AOTSCOPE_SIMDJSON_LIBRARY}
                                      INTERFACE_INCLUDE_DIRECTORIES ${AOTSCOPE_SIMDJSON_INCLUDE})
endif()

find_package(spdlog QUIET)
set_package_properties(spdlog PROPERTIES TYPE OPTIONAL PURPOSE "log files (else plain stderr)")
find_package(ZLIB QUIET)
set_package_properties(ZLIB PROPERTIES TYPE RECOMMENDED PURPOSE "reading .gz logs")
find_package(LibLZMA QUIET)
set_package_properties(LibLZMA PROPERTIES TYPE RECOMMENDED PURPOSE "reading .xz logs")
# Not by its own CMake file: Debian's demands programs of other packages.
find_path(AOTSCOPE_ZIP_INCLUDE zip.h)
find_library(AOTSCOPE_ZIP_LIBRARY zip)
if(AOTSCOPE_ZIP_INCLUDE AND AOTSCOPE_ZIP_LIBRARY)
    set(AOTSCOPE_ZIP_FOUND TRUE)
else()
    message(STATUS "libzip is missing: .npz files are not read or written")
endif()

if(AOTSCOPE_WINDOW)
    find_package(Qt6 6.4 COMPONENTS Core Gui Widgets Svg Test)
    set_package_properties(Qt6 PROPERTIES TYPE REQUIRED PURPOSE "the window")
    find_package(PNG)
    set_package_properties(PNG PROPERTIES TYPE REQUIRED PURPOSE "pictures written row by row, which Qt cannot")
endif()

if(AOTSCOPE_TORCH)
    include(LibTorch)
endif()
feature_summary(WHAT REQUIRED_PACKAGES_NOT_FOUND FATAL_ON_MISSING_REQUIRED_PACKAGES)
feature_summary(WHAT OPTIONAL_PACKAGES_NOT_FOUND RECOMMENDED_PACKAGES_NOT_FOUND)
