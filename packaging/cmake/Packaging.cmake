# What `cmake --install` lays down; the .deb itself comes with a later issue.
