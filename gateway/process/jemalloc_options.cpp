// The options that jemalloc reads from the program before main().
// By default, jemalloc returns memory ten seconds after its last use, and only while the program continues to allocate:
// an idle gateway would keep the peak of its streams. With a thread of its own and one second, 4,000 streams that have
// ended leave 30 MB instead of 110 (docs/performance/what-was-tried.md). One second covers the pause between bursts.

extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "background_thread:true,dirty_decay_ms:1000,muzzy_decay_ms:0";
}
