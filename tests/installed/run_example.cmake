# Installs, builds the example against what was installed, runs it and compares. Variables: BUILD, EXAMPLE, WORK,
# COMPILER, FLAGS, ANSWERS.
cmake_minimum_required(VERSION 3.25)
set(prefix ${WORK}/prefix)
set(build ${WORK}/build)
file(REMOVE_RECURSE ${prefix} ${build})

function(step what)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
    if(failed)
        message(FATAL_ERROR "${what}: ${failed}\n${said}")
    endif()
endfunction()

list(JOIN FLAGS " " flags)
step("install" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix} --component engine)
step("configure" ${CMAKE_COMMAND} -S ${EXAMPLE} -B ${build} -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${COMPILER}
     "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic -Werror ${flags}")
step("build" ${CMAKE_COMMAND} --build ${build})

execute_process(
    COMMAND ${build}/aot_example ${ANSWERS}/aot_cases.txt
    OUTPUT_FILE ${WORK}/ours.txt
    ERROR_FILE ${WORK}/errors.txt
    RESULT_VARIABLE failed)
if(failed)
    file(READ ${WORK}/errors.txt errors)
    message(FATAL_ERROR "run: ${failed}\n${errors}")
endif()
execute_process(COMMAND ${build}/compare_answers ${WORK}/ours.txt ${ANSWERS}/aot_answers.txt RESULT_VARIABLE failed)
if(failed)
    message(FATAL_ERROR "Answers differ from the recorded ones: see ${WORK}/ours.txt and errors.txt")
endif()
