# Which CPU levels this processor runs, and what compiled this build.

cdef extern from *:
    """
    #include <string.h>

    static int cpu_supports(const char *level)
    {
    #if defined(__x86_64__)
        __builtin_cpu_init();
        if (strcmp(level, "baseline") == 0) return __builtin_cpu_supports("x86-64-v2") != 0;
        if (strcmp(level, "v3") == 0) return __builtin_cpu_supports("x86-64-v3") != 0;
        if (strcmp(level, "v4") == 0) return __builtin_cpu_supports("x86-64-v4") != 0;
        return 0;
    #elif defined(__aarch64__)
        return strcmp(level, "neon") == 0;
    #else
        return 0;
    #endif
    }

    #if defined(__clang__)
    #define COMPILER_NAME "clang " __clang_version__
    #elif defined(__GNUC__)
    #define COMPILER_NAME "gcc " __VERSION__
    #else
    #define COMPILER_NAME "unknown"
    #endif
    """
    bint cpu_supports(const char *level) nogil
    const char *COMPILER_NAME
