// The options that jemalloc reads from the program before main(). By default, jemalloc returns memory ten seconds after
// its last use, and only while the program continues to allocate. An idle gateway would therefore keep the memory of
// its peak. The options set a background thread and a delay of one second: 4,000 streams that have ended then leave 30
// MB instead of 110 MB (docs/performance/what-was-tried.md). One second is longer than the pause between bursts.

extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "background_thread:true,dirty_decay_ms:1000,muzzy_decay_ms:0";
}
