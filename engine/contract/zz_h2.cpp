#include "coverage.cpp"
#include "device_list.cpp"
