// The options that jemalloc reads from the program before main() begins. By default, jemalloc returns unused memory to
// the system only after ten seconds, and only while the program still allocates memory. An idle gateway would therefore
// keep the memory of its peak. These options start a background thread that returns memory after one second, which is
// longer than the pause between bursts. After 4,000 streams have ended, 30 MB instead of 110 MB are then in use
// (docs/performance/what-was-tried.md).

extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "background_thread:true,dirty_decay_ms:1000,muzzy_decay_ms:0";
}
