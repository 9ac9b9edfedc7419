# cmake -DINPUTS="a.txt;b.txt" -DNAMES="first;second" -DHEADER=x/y.h -DNAMESPACE=a::b -DOUTPUT=c.cpp -P EmbedText.cmake
#
# Writes a source file that defines each input's text as `std::string_view name()`. The text is cut into pieces
# because compilers limit the length of one literal.
set(source "// Made by EmbedText.cmake.\n#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n")
foreach(input name IN ZIP_LISTS INPUTS NAMES)
    file(READ ${input} text)
    string(LENGTH "${text}" length)
    string(APPEND source "\nstd::string_view ${name}() {\n    return ")
    set(position 0)
    while(position LESS length)
        string(SUBSTRING "${text}" ${position} 15000 piece)
        string(APPEND source "R\"embedded(${piece})embedded\"\n")
        math(EXPR position "${position} + 15000")
    endwhile()
    string(APPEND source "\"\";\n}\n")
endforeach()
string(APPEND source "\n} // namespace ${NAMESPACE}\n")
file(WRITE ${OUTPUT} "${source}")
