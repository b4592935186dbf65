#include "gateway/traces/gzip.hpp"

#include <zlib.h>

#include <new>

namespace photofinish::gateway {

std::string gzipped(std::string_view text) {
  constexpr int window_and_wrapper = 15 + 16, usual_memory = 8;
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, window_and_wrapper, usual_memory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // zlib does not change its input
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);  // one call is enough, because the output buffer has room for the worst case
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace photofinish::gateway
