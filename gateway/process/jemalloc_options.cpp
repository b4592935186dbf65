// The options that jemalloc reads from the program before main() begins. By default, jemalloc returns memory to the
// system ten seconds after its last use, and only while the program still allocates memory. An idle gateway would
// therefore keep the memory of its peak. The options turn on a background thread and set a delay of one second. After
// 4,000 streams have ended, 30 MB instead of 110 MB are then in use (docs/performance/what-was-tried.md). One second is
// longer than the pause between bursts.

extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "background_thread:true,dirty_decay_ms:1000,muzzy_decay_ms:0";
}
