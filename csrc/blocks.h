/* Memory of storages: where it comes from, and the cache of freed blocks.
 *
 * A fresh output of 64 MB costs more in page faults than in arithmetic, so a freed block waits for the next tensor of about its
 * size.  Every block has a capacity, from which its kind follows:
 *
 *   small   below SMALL_BYTES: Python's allocator, cheap and seen by tracemalloc by itself; never cached here
 *   medium  below LARGE_BYTES: malloc at 64 bytes, capacities in four classes a doubling (1024, 1280, 1536, 1792, 2048, ...)
 *   large   its own mapping, aligned to HUGE_PAGE, on huge pages where the system has them
 *
 * Cached blocks lie in one list per class, newest first (still warm), and all of them in one list by age: what exceeds the limit
 * goes back to the system oldest first.  A large request takes the best fit of at most 1.25 times its size.  The links of a medium
 * block are written into it; those of a large one lie apart, so that pages nobody touched stay without memory.
 *
 * Invariants
 *   B1  all calls hold the GIL, which guards the lists; without a GIL `blocks_mutex` does.  A fork takes it, so that a child
 *       finds the lists whole; what is cached is then the child's too, page by page.
 *   B2  cached_bytes <= limit.  A limit of 0 keeps nothing: every block is malloc's or the system's, as sanitizers like it.
 *   B3  only blocks from here come back here, with the capacity they were given out with.
 */
#pragma once
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__) || defined(__APPLE__)
#include <sys/mman.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif

#define SMALL_BYTES 1024
#define LARGE_BYTES ((size_t)4 << 20)      /* below it malloc reuses its heap; above, faults on small pages cost 2 to 6 times the sum */
#define HUGE_PAGE ((size_t)2 << 20)
#define LARGE_STEP ((size_t)64 << 10)      /* capacities of large blocks: a multiple of any page size in use */
#define LAZY_ZEROS ((size_t)32 << 20)      /* memset, then adding 1: 0.6 times the time on fresh zero pages at 4 MiB, 0.93 at 32 */
#define ALIGNMENT 64
#define CLASSES 256
#define TRACE_DOMAIN 0x746C                /* tracemalloc's domain of medium and large blocks: "tl" */

typedef struct Block {                     /* a cached block; a medium one begins with this */
    struct Block *next, *previous;         /* of its class, newest first */
    struct Block *older, *newer;
    size_t capacity;
    void *memory;
} Block;

typedef struct {
    Block *first[CLASSES];
    Block *oldest, *newest;
    size_t limit;
    size_t cached_bytes, cached_blocks;
    size_t used_bytes, used_peak, used_blocks;      /* given out; small blocks too */
    size_t bytes_ever, blocks_ever;
    size_t system_bytes, system_peak;               /* medium and large, given out or cached */
    size_t hits, misses, retries, failures;
} Blocks;
static Blocks blocks;

int PyTraceMalloc_Track(unsigned int domain, uintptr_t ptr, size_t size);     /* both return at once while nobody traces */
int PyTraceMalloc_Untrack(unsigned int domain, uintptr_t ptr);

#ifdef Py_GIL_DISABLED
#include <pthread.h>
static pthread_mutex_t blocks_mutex = PTHREAD_MUTEX_INITIALIZER;
static void blocks_lock(void) { pthread_mutex_lock(&blocks_mutex); }
static void blocks_unlock(void) { pthread_mutex_unlock(&blocks_mutex); }
static void blocks_start(size_t limit) { pthread_atfork(blocks_lock, blocks_unlock, blocks_unlock); blocks.limit = limit; }
#else
static inline void blocks_lock(void) {}
static inline void blocks_unlock(void) {}
static void blocks_start(size_t limit) { blocks.limit = limit; }
#endif

/* The class of n >= SMALL_BYTES bytes; *top is the largest size in it.  Classes are (4, 5], (5, 6], (6, 7], (7, 8] times a power of
 * two. */
static inline int block_class(size_t n, size_t *top)
{
    int power = 63 - __builtin_clzll((unsigned long long)(n - 1)), shift = power - 2;
    size_t steps = ((n - 1) >> shift) + 1;
    *top = steps << shift;
    return 4 * power + (int)steps - 5;
}

static inline int block_is_large(size_t capacity) { return capacity >= LARGE_BYTES; }

/* -- the system -- */

#if defined(__linux__) || defined(__APPLE__)
static void *large_map(size_t capacity)
{
    char *p, *base;
    size_t span = capacity + HUGE_PAGE;
    p = (char *)mmap(NULL, span, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == (char *)MAP_FAILED) return NULL;
    base = (char *)(((uintptr_t)p + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1));
    if (base != p) munmap(p, (size_t)(base - p));
    if (base + capacity != p + span) munmap(base + capacity, (size_t)(p + span - base - capacity));
#ifdef MADV_HUGEPAGE
    madvise(base, capacity & ~(HUGE_PAGE - 1), MADV_HUGEPAGE);     /* a rest stays on small pages: it would waste up to 2 MiB */
#endif
    return base;
}
static void large_unmap(void *p, size_t capacity) { munmap(p, capacity); }
#else
static void *large_map(size_t capacity)
{
    return aligned_alloc(ALIGNMENT, capacity);
}
static void large_unmap(void *p, size_t capacity) { free(p); }
#endif

static void *system_take(size_t capacity)
{
    void *p = NULL;
    if (block_is_large(capacity)) {
        p = large_map(capacity);
    } else if (posix_memalign(&p, ALIGNMENT, capacity) != 0) {
        p = NULL;
    }
    if (p == NULL) return NULL;
    blocks.system_bytes += capacity;
    if (blocks.system_bytes > blocks.system_peak) blocks.system_peak = blocks.system_bytes;
    return p;
}

static void system_give(void *p, size_t capacity)
{
    if (block_is_large(capacity)) large_unmap(p, capacity);
    else free(p);
    blocks.system_bytes -= capacity;
}

/* -- the cache -- */

static void cache_unlink(Block *b)
{
    size_t top;
    if (b->next != NULL) b->next->previous = b->previous;
    if (b->previous != NULL) b->previous->next = b->next;
    else blocks.first[block_class(b->capacity, &top)] = b->next;
    if (b->older != NULL) b->older->newer = b->newer;
    else blocks.oldest = b->newer;
    if (b->newer != NULL) b->newer->older = b->older;
    else blocks.newest = b->older;
    blocks.cached_bytes -= b->capacity;
    blocks.cached_blocks--;
}

/* Takes a block out of the cache: its memory. */
static void *cache_pop(Block *b)
{
    void *p = b->memory;
    cache_unlink(b);
    if (p != b) free(b);
    return p;
}

static void cache_trim(size_t limit)
{
    while (blocks.cached_bytes > limit) {
        size_t capacity = blocks.oldest->capacity;
        system_give(cache_pop(blocks.oldest), capacity);
    }
}

static void cache_push(void *p, size_t capacity)
{
    Block *b = block_is_large(capacity) ? (Block *)malloc(sizeof(Block)) : (Block *)p;
    size_t top;
    int class = block_class(capacity, &top);
    if (b == NULL) {
        system_give(p, capacity);
        return;
    }
    b->memory = p;
    b->capacity = capacity;
    b->previous = NULL;
    b->next = blocks.first[class];
    if (b->next != NULL) b->next->previous = b;
    blocks.first[class] = b;
    b->newer = NULL;
    b->older = blocks.newest;
    if (b->older != NULL) b->older->newer = b;
    else blocks.oldest = b;
    blocks.newest = b;
    blocks.cached_bytes += capacity;
    blocks.cached_blocks++;
}

static Block *cache_best(size_t capacity)
{
    Block *b, *best = NULL;
    size_t most = capacity + capacity / 4, top;
    int class = block_class(capacity, &top), last = block_class(most, &top);
    for (; class <= last; class++) {
        for (b = blocks.first[class]; b != NULL; b = b->next) {
            if (b->capacity == capacity) return b;
            if (b->capacity > capacity && b->capacity <= most && (best == NULL || b->capacity < best->capacity)) best = b;
        }
        if (best != NULL) return best;             /* the next class is larger */
    }
    return NULL;
}

/* -- what storages call -- */

static inline void used_add(size_t bytes)
{
    blocks.used_bytes += bytes;
    blocks.bytes_ever += bytes;
    blocks.used_blocks++;
    blocks.blocks_ever++;
    if (blocks.used_bytes > blocks.used_peak) blocks.used_peak = blocks.used_bytes;
}

static void *block_take_cached(size_t nbytes, size_t *capacity, int *zeroed)
{
    Block *b;
    void *p;
    size_t size;
    int class;
    if (nbytes > (size_t)1 << 60) return NULL;
    blocks_lock();
    class = block_class(nbytes, &size);
    if (block_is_large(size)) {
        size = nbytes < LARGE_BYTES ? LARGE_BYTES : (nbytes + LARGE_STEP - 1) & ~(LARGE_STEP - 1);
        b = cache_best(size);
    } else {
        b = blocks.first[class];
    }
    if (b != NULL) {
        size = b->capacity;
        p = cache_pop(b);
        blocks.hits++;
    } else {
        blocks.misses++;
        p = system_take(size);
        if (p == NULL && blocks.cached_blocks) {           /* what is cached may be just what is missing */
            blocks.retries++;
            cache_trim(0);
            p = system_take(size);
        }
        if (p == NULL) {
            blocks.failures++;
            blocks_unlock();
            return NULL;
        }
        *zeroed = block_is_large(size);
    }
    used_add(size);
    blocks_unlock();
    *capacity = size;
    PyTraceMalloc_Track(TRACE_DOMAIN, (uintptr_t)p, size);
    return p;
}

/* At least nbytes > 0 bytes, or NULL: then nothing happened.  *zeroed is set to 1 where they are known to be zero. */
static inline void *block_take(size_t nbytes, size_t *capacity, int *zeroed)
{
    void *p;
    *zeroed = 0;
    if (nbytes >= SMALL_BYTES) return block_take_cached(nbytes, capacity, zeroed);
    p = PyMem_Malloc(nbytes);
    if (p == NULL) return NULL;
    *capacity = nbytes;
    used_add(nbytes);
    return p;
}

static void block_give(void *p, size_t capacity)
{
    blocks.used_bytes -= capacity;
    blocks.used_blocks--;
    if (capacity < SMALL_BYTES) {
        PyMem_Free(p);
        return;
    }
    PyTraceMalloc_Untrack(TRACE_DOMAIN, (uintptr_t)p);
    blocks_lock();
    if (capacity > blocks.limit) {
        system_give(p, capacity);
    } else {
        cache_trim(blocks.limit - capacity);
        cache_push(p, capacity);
    }
    blocks_unlock();
}

/* Makes a whole block of nbytes in use zero.  From LAZY_ZEROS its pages are exchanged for the system's zero pages, which cost
 * nothing until they are touched. */
static void block_zero(void *p, size_t nbytes, size_t capacity, int zeroed)
{
    if (zeroed) return;
#ifdef __linux__
    if (capacity >= LAZY_ZEROS && madvise(p, capacity, MADV_DONTNEED) == 0) return;
#endif
    memset(p, 0, nbytes);
}

/* Everything cached goes back to the system, as far as malloc lets go of it. */
static void blocks_empty_cache(void)
{
    blocks_lock();
    cache_trim(0);
    blocks_unlock();
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

static void blocks_set_limit(size_t limit)
{
    blocks_lock();
    blocks.limit = limit;
    cache_trim(limit);
    blocks_unlock();
}
