# The rooms of the program and the only allowed direction between them: a target sees the headers of the rooms
# it names, and no others, because each room's headers are reached through a folder that holds that room alone.

add_library(aotscope_warnings INTERFACE)
# In a unity build a local name may hide one of another file in the same unit, which is harmless. `./dev lint`
# compiles each file alone and has the full warning.
set(aotscope_shadow -Wshadow)
if(AOTSCOPE_UNITY)
    set(aotscope_shadow $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local>)
endif()
target_compile_options(aotscope_warnings INTERFACE -Wall -Wextra -Wpedantic ${aotscope_shadow})
if(AOTSCOPE_WERROR)
    target_compile_options(aotscope_warnings INTERFACE -Werror)
endif()
if(AOTSCOPE_VERIFY)
    target_compile_definitions(aotscope_warnings INTERFACE AOTSCOPE_VERIFY)
endif()
# GCC 12 sees writes past the end of strings where there are none: in code it inlines or instruments, and where the
# standard library comes precompiled, also in that library's own headers.
set(aotscope_false_alarms)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(aotscope_false_alarms -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread -Wno-restrict)
endif()
if(AOTSCOPE_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(aotscope_warnings INTERFACE ${aotscope_false_alarms})
endif()
# GCC 13 takes a reference that a function returns for one to a temporary among its arguments: "find(list, "name")".
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
    target_compile_options(aotscope_warnings INTERFACE -Wno-dangling-reference)
endif()
# Options of every target, also of those that take none of their folder's.
set(aotscope_everywhere)
# With full optimization it also sees members of variants read that no path leaves unset.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release")
    # Nothing replaces our functions at load time: calls within a library may be direct and inlined.
    list(APPEND aotscope_everywhere -fno-semantic-interposition)
    target_compile_options(aotscope_warnings INTERFACE -Wno-maybe-uninitialized)
endif()
if(AOTSCOPE_SANITIZE)
    list(APPEND aotscope_everywhere -fsanitize=${AOTSCOPE_SANITIZE} -fno-omit-frame-pointer
         -fno-sanitize-recover=undefined)
    add_link_options(-fsanitize=${AOTSCOPE_SANITIZE})
endif()
add_compile_options(${aotscope_everywhere})
find_program(AOTSCOPE_MOLD mold)
if(AOTSCOPE_MOLD AND NOT AOTSCOPE_FUZZERS)
    add_link_options(-fuse-ld=mold)
endif()

# What `./dev test` builds in the sanitizer presets: the fuzz targets, and the tests labelled "thread".
add_custom_target(fuzzers)
add_custom_target(thread_tests)

# Makes `folder` of `parent` includable as "folder/…" through a folder that shows nothing else.
function(aotscope_room_include target parent folder)
    set(link ${CMAKE_BINARY_DIR}/rooms/${folder})
    file(MAKE_DIRECTORY ${link})
    if(NOT EXISTS ${link}/${folder})
        file(CREATE_LINK ${parent}/${folder} ${link}/${folder} SYMBOLIC)
    endif()
    target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${link}>)
endfunction()

# What nearly every file reads, precompiled once for all rooms: half of a file's compile time otherwise. Files still
# name all they use; `./dev lint` compiles without this.
set(aotscope_standard_headers
    <algorithm>
    <array>
    <charconv>
    <chrono>
    <cmath>
    <complex>
    <deque>
    <filesystem>
    <functional>
    <map>
    <memory>
    <mutex>
    <optional>
    <set>
    <span>
    <stop_token>
    <string>
    <string_view>
    <unordered_map>
    <unordered_set>
    <utility>
    <variant>
    <vector>)
# Who makes a precompiled header may define no macro that its users do not.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/standard_headers.cpp CONTENT "")
add_library(aotscope_standard OBJECT ${CMAKE_BINARY_DIR}/standard_headers.cpp)
target_link_libraries(aotscope_standard PRIVATE aotscope_warnings)
target_precompile_headers(aotscope_standard PRIVATE ${aotscope_standard_headers})

# Rooms that put together what others compute, where a release gains little from full optimization, which compiles
# half as long again. A precompiled header is for one level of optimization only.
set(aotscope_light_options)
set(aotscope_light_headers aotscope_standard)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
    set(aotscope_light_options -O1)
    set(aotscope_light_headers aotscope_standard_light)
    add_library(aotscope_standard_light OBJECT ${CMAKE_BINARY_DIR}/standard_headers.cpp)
    target_link_libraries(aotscope_standard_light PRIVATE aotscope_warnings)
    target_compile_options(aotscope_standard_light PRIVATE ${aotscope_light_options})
    target_precompile_headers(aotscope_standard_light PRIVATE ${aotscope_standard_headers})
endif()

# Of the room that sees LibTorch. Most of the time goes into LibTorch: full optimization takes a third longer to compile
# and traces at most 5 % faster than the part of it that counts here. Whoever shares the room's precompiled header has
# the same options: GCC 12 ends with an internal error where functions of the header and of a file have different ones.
set(aotscope_torch_options)
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(aotscope_torch_options -O1 -finline-small-functions -fpartial-inlining -fstrict-aliasing -foptimize-sibling-calls
                               -fipa-ra -freorder-functions -fthread-jumps)
endif()

# What most files of the window and of its tests read of Qt. <QtWidgets> would take twice as long to precompile and
# to load.
set(aotscope_window_headers
    <QAction>
    <QApplication>
    <QCheckBox>
    <QClipboard>
    <QComboBox>
    <QDockWidget>
    <QElapsedTimer>
    <QFileInfo>
    <QHBoxLayout>
    <QHeaderView>
    <QHelpEvent>
    <QKeyEvent>
    <QLabel>
    <QLineEdit>
    <QMenu>
    <QPainter>
    <QProgressBar>
    <QPushButton>
    <QRegularExpression>
    <QScrollBar>
    <QSettings>
    <QSplitter>
    <QStackedWidget>
    <QStyledItemDelegate>
    <QTabBar>
    <QTimer>
    <QToolButton>
    <QToolTip>
    <QTreeView>
    <QUrl>
    <QVBoxLayout>
    <QWheelEvent>)

# aotscope_moc(target…): moc for the classes of these targets, with a program that leaves out what takes it long.
function(aotscope_moc)
    get_target_property(aotscope_moc Qt6::moc LOCATION)
    set(alone ${CMAKE_BINARY_DIR}/moc_alone.sh)
    configure_file(${CMAKE_SOURCE_DIR}/packaging/cmake/moc_alone.sh.in ${alone} @ONLY FILE_PERMISSIONS OWNER_READ OWNER_WRITE
                                                                                                    OWNER_EXECUTE)
    set_target_properties(${ARGN} PROPERTIES AUTOMOC ON AUTOMOC_COMPILER_PREDEFINES OFF AUTOMOC_EXECUTABLE ${alone})
endfunction()

# An unnamed namespace in a file that is not the first looks like one in a header.
set(aotscope_unity_options $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)

# Folders with fewer bytes of source than this are compiled together, where a target has several.
set(aotscope_small_folder 70000)

# Files of one folder of a target are compiled as one, up to AOTSCOPE_UNITY_BYTES of them, which instantiates the
# templates they share once. So names in unnamed namespaces are unlike each other within a folder, and among the small
# folders of a target; `./dev lint` compiles each file alone. Files with a UNITY_GROUP of their own stay in it. To be called
# when the target has all its sources.
function(aotscope_unity target)
    if(NOT AOTSCOPE_UNITY)
        return()
    endif()
    get_target_property(sources ${target} SOURCES)
    set(folders)
    foreach(source ${sources})
        get_source_file_property(group ${source} UNITY_GROUP)
        get_filename_component(path ${source} ABSOLUTE)
        if(group OR NOT source MATCHES "\\.cpp$")
            continue()
        endif()
        cmake_path(IS_PREFIX CMAKE_BINARY_DIR ${path} generated)
        if(generated)
            # It has no size before the first build, and groups must not change after it.
            set_property(SOURCE ${source} PROPERTY UNITY_GROUP generated)
            continue()
        endif()
        cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE folder)
        cmake_path(GET folder PARENT_PATH folder)
        string(MAKE_C_IDENTIFIER ${folder} folder)
        file(SIZE ${path} size)
        list(APPEND folders ${folder})
        list(APPEND files_${folder} ${source})
        list(APPEND sizes_${folder} ${size})
        math(EXPR bytes_${folder} "0${bytes_${folder}} + ${size}")
    endforeach()
    list(REMOVE_DUPLICATES folders)
    foreach(folder ${folders})
        if(bytes_${folder} LESS aotscope_small_folder)
            list(APPEND files_small ${files_${folder}})
            list(APPEND sizes_small ${sizes_${folder}})
            math(EXPR bytes_small "0${bytes_small} + ${bytes_${folder}}")
            list(REMOVE_ITEM folders ${folder})
        endif()
    endforeach()
    # Groups are equally large: the last ones of a build then end together.
    foreach(folder ${folders} small)
        set(before 0)
        math(EXPR groups "(0${bytes_${folder}} + ${AOTSCOPE_UNITY_BYTES} - 1) / ${AOTSCOPE_UNITY_BYTES}")
        foreach(source size IN ZIP_LISTS files_${folder} sizes_${folder})
            math(EXPR group "${before} * ${groups} / ${bytes_${folder}}")
            math(EXPR before "${before} + ${size}")
            set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${folder}_${group})
        endforeach()
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    target_compile_options(${target} PRIVATE ${aotscope_unity_options})
endfunction()

# aotscope_room(ir SOURCES a.cpp … HEADERS a.h … ROOMS base … LIBRARIES private ones …)
# LIGHT: it puts together what other rooms compute (aotscope_light_options).
function(aotscope_room name)
    cmake_parse_arguments(room "LIGHT" "PARENT" "SOURCES;HEADERS;ROOMS;LIBRARIES" ${ARGN})
    if(NOT room_PARENT)
        set(room_PARENT ${CMAKE_SOURCE_DIR}/engine)
    endif()
    set(target aotscope_${name})
    add_library(${target} SHARED ${room_SOURCES})
    # The file set is private to the check of self-contained headers; users include through the room folder.
    target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${room_PARENT} FILES ${room_HEADERS})
    get_target_property(dirs ${target} INTERFACE_INCLUDE_DIRECTORIES)
    set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "" INCLUDE_DIRECTORIES "")
    aotscope_room_include(${target} ${room_PARENT} ${name})
    foreach(other ${room_ROOMS})
        target_link_libraries(${target} PUBLIC aotscope_${other})
    endforeach()
    target_link_libraries(${target} PRIVATE aotscope_warnings ${room_LIBRARIES})
    if(room_LIGHT)
        target_compile_options(${target} PRIVATE ${aotscope_light_options})
        target_precompile_headers(${target} REUSE_FROM ${aotscope_light_headers})
    else()
        target_precompile_headers(${target} REUSE_FROM aotscope_standard)
    endif()
    aotscope_unity(${target})
    # The engine's libraries are installed alone where only the public header's users need them.
    set(component window)
    if(room_PARENT STREQUAL "${CMAKE_SOURCE_DIR}/engine")
        set(component engine)
    endif()
    if(component STREQUAL "engine")
        # Calls within a library go to its own functions and not through a table: parsing takes 5 to 8 % less time.
        target_link_options(${target} PRIVATE -Wl,-Bsymbolic-functions)
    endif()
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN")
    install(TARGETS ${target} LIBRARY DESTINATION lib/aotscope COMPONENT ${component})
endfunction()

# Few tests are compiled as one: those of one thing have helpers of the same names. A number of files and not of bytes,
# which an edit would change.
function(aotscope_unity_of_tests target)
    if(AOTSCOPE_UNITY)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 4)
        target_compile_options(${target} PRIVATE ${aotscope_unity_options})
    endif()
endfunction()

# aotscope_test_program(name LIBRARIES …): a doctest program that tests are put into by aotscope_test(… IN name).
# Tests of one folder are compiled together, which takes a third of the time that programs of their own take.
function(aotscope_test_program name)
    cmake_parse_arguments(program "" "" "LIBRARIES" ${ARGN})
    add_executable(${name} $<TARGET_OBJECTS:aotscope_doctest_main>)
    target_link_libraries(${name} PRIVATE aotscope_warnings aotscope_dep_doctest aotscope_dep_nlohmann
                                          aotscope_test_support ${program_LIBRARIES})
    target_precompile_headers(${name} REUSE_FROM aotscope_doctest_main)
    add_dependencies(${name} aotscope_own_corpus)
    aotscope_unity_of_tests(${name})
endfunction()

# Seconds after which a test that hangs is ended. Ten times what the longest takes on two processors with nothing
# beside. A wait of a window test (support/window_test.h) gives up and tells its reason after a third of this, and Qt
# Test ends a function that hangs after half of it and says where.
set(aotscope_test_limit 600)

# Tests use the module of their own build, also where `./dev module` put another release's beside it.
set(aotscope_test_module AOTSCOPE_TORCH_MODULE=${CMAKE_BINARY_DIR}/lib/libaotscope_torch.so)

# Tests run beside each other: with more threads, which spin while they wait, each takes two to three times as long.
set(aotscope_usual_arithmetic OMP_NUM_THREADS=1)
# A second way in which a machine may compute: other vector widths and orders of summation in LibTorch's kernels and in its
# matrix products, and two threads. What is said of numbers has to be the same.
set(aotscope_other_arithmetic ATEN_CPU_CAPABILITY=default MKL_CBWR=COMPATIBLE OMP_NUM_THREADS=2 OMP_WAIT_POLICY=PASSIVE)

# aotscope_test(tst_name IN program SOURCES … [LABELS unit] [NUMBERS] [PARTS n]): the test cases of some files of a doctest
# program. Where only some of them read the corpus, those are a test of their own, tst_name_corpus, so that one state does
# not speak for both where there is no corpus.
# NUMBERS: they compare numbers; tst_name_other_arithmetic is the same test where these are computed in another way.
# PARTS: they take minutes; each of n tests, tst_name_1 to tst_name_n, has a part of the inputs (support/test_part.h).
function(aotscope_test name)
    cmake_parse_arguments(test "NUMBERS" "IN;PARTS" "SOURCES;LABELS" ${ARGN})
    target_sources(${test_IN} PRIVATE ${test_SOURCES})
    set(cases)
    set(corpus_cases)
    foreach(source ${test_SOURCES})
        file(STRINGS ${source} found REGEX "^TEST_CASE")
        list(APPEND cases ${found})
        file(STRINGS ${source} found REGEX "needsCorpus\\(\\)")
        list(APPEND corpus_cases ${found})
    endforeach()
    list(LENGTH cases count)
    list(LENGTH corpus_cases corpus_count)
    list(TRANSFORM test_SOURCES PREPEND "*/" OUTPUT_VARIABLE files)
    list(JOIN files "," files)
    if(NOT test_LABELS)
        set(test_LABELS unit)
    endif()
    set(suites "")
    if(corpus_count GREATER 0 AND corpus_count LESS count)
        list(APPEND suites _corpus)
    endif()
    list(APPEND suites own)
    set(parts 1)
    if(test_PARTS)
        set(parts ${test_PARTS})
    endif()
    set(arithmetics usual)
    if(test_NUMBERS)
        list(APPEND arithmetics other)
    endif()
    foreach(suite ${suites})
        foreach(part RANGE 1 ${parts})
            foreach(arithmetic ${arithmetics})
                set(test_name ${name})
                set(chosen)
                if(suite STREQUAL "_corpus")
                    string(APPEND test_name _corpus)
                    set(chosen --test-suite=corpus)
                elseif("_corpus" IN_LIST suites)
                    set(chosen --test-suite-exclude=corpus)
                endif()
                set(environment "${aotscope_test_module}")
                if(test_PARTS)
                    string(APPEND test_name _${part})
                    list(APPEND environment AOTSCOPE_TEST_PART=${part}/${parts})
                endif()
                if(arithmetic STREQUAL "other")
                    string(APPEND test_name _other_arithmetic)
                    list(APPEND environment ${aotscope_other_arithmetic})
                else()
                    list(APPEND environment ${aotscope_usual_arithmetic})
                endif()
                add_test(NAME ${test_name} COMMAND ${test_IN} "--source-file=${files}" ${chosen})
                # 77 is what support/doctest_main.cpp returns.
                set_tests_properties(${test_name} PROPERTIES LABELS "${test_LABELS}" TIMEOUT ${aotscope_test_limit}
                                                             SKIP_RETURN_CODE 77 ENVIRONMENT "${environment}")
            endforeach()
        endforeach()
    endforeach()
    if("thread" IN_LIST test_LABELS)
        add_dependencies(thread_tests ${test_IN})
    endif()
endfunction()

find_program(AOTSCOPE_XVFB_RUN xvfb-run)
# What Qt Test says where a function skipped itself and none failed: the test is then not one that passed.
set(aotscope_window_test_skipped "Totals: [0-9]+ passed, 0 failed, [1-9][0-9]* skipped")

# aotscope_window_test_program(name LIBRARIES …): a Qt Test program that tests are put into by
# aotscope_window_test(… IN name).
function(aotscope_window_test_program name)
    cmake_parse_arguments(program "" "" "LIBRARIES" ${ARGN})
    add_executable(${name})
    aotscope_moc(${name})
    target_link_libraries(${name} PRIVATE aotscope_warnings aotscope_window_test_support ${program_LIBRARIES})
    target_precompile_headers(${name} REUSE_FROM aotscope_window_test_support)
    add_dependencies(${name} aotscope_own_corpus)
    aotscope_unity_of_tests(${name})
endfunction()

# aotscope_window_test(tst_name IN program [LABELS thread]): the test that tst_name.cpp registers under this name, run
# under the offscreen platform and, where Xvfb is there, with real X11 windows.
function(aotscope_window_test name)
    cmake_parse_arguments(test "" "IN" "LABELS" ${ARGN})
    target_sources(${test_IN} PRIVATE ${name}.cpp)
    add_test(NAME ${name} COMMAND ${test_IN} ${name})
    set(artifacts ${CMAKE_BINARY_DIR}/artifacts)
    file(MAKE_DIRECTORY ${artifacts}/offscreen ${artifacts}/xvfb)
    set_tests_properties(
        ${name} PROPERTIES LABELS "gui;${test_LABELS}" TIMEOUT ${aotscope_test_limit}
                           SKIP_REGULAR_EXPRESSION "${aotscope_window_test_skipped}"
                           ENVIRONMENT "${aotscope_test_module};OMP_WAIT_POLICY=PASSIVE;QT_QPA_PLATFORM=offscreen;AOTSCOPE_ARTIFACTS=${artifacts}/offscreen")
    if(AOTSCOPE_XVFB_RUN)
        add_test(NAME ${name}_xvfb COMMAND ${AOTSCOPE_XVFB_RUN} -a -s "-screen 0 1600x1000x24"
                                           $<TARGET_FILE:${test_IN}> ${name})
        # The thread sanitizer's run is long enough with one platform.
        set(xvfb_labels gui xvfb ${test_LABELS})
        list(REMOVE_ITEM xvfb_labels thread)
        set_tests_properties(
            ${name}_xvfb PROPERTIES LABELS "${xvfb_labels}" TIMEOUT ${aotscope_test_limit}
                                    SKIP_REGULAR_EXPRESSION "${aotscope_window_test_skipped}"
                                    ENVIRONMENT "${aotscope_test_module};OMP_WAIT_POLICY=PASSIVE;QT_QPA_PLATFORM=xcb;AOTSCOPE_ARTIFACTS=${artifacts}/xvfb")
    endif()
    if("thread" IN_LIST test_LABELS)
        add_dependencies(thread_tests ${test_IN})
    endif()
endfunction()

# aotscope_fuzzer(fuzz_name SOURCES … LIBRARIES … SEEDS folder…): a libFuzzer program, run for 20 seconds.
function(aotscope_fuzzer name)
    if(NOT AOTSCOPE_FUZZERS)
        return()
    endif()
    cmake_parse_arguments(fuzz "" "" "SOURCES;LIBRARIES;SEEDS" ${ARGN})
    add_executable(${name} ${fuzz_SOURCES})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    target_link_libraries(${name} PRIVATE aotscope_warnings ${fuzz_LIBRARIES})
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz/${name})
    add_test(NAME ${name} COMMAND ${name} -max_total_time=20 -timeout=5 -rss_limit_mb=1024 -max_len=65536
                                  -print_final_stats=1 ${CMAKE_BINARY_DIR}/fuzz/${name} ${fuzz_SEEDS})
    set_tests_properties(${name} PROPERTIES LABELS fuzz TIMEOUT ${aotscope_test_limit})
    add_dependencies(fuzzers ${name})
endfunction()
