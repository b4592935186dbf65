// Decodes the Content-Encoding of a request body in small steps. It stops at the size limit, to protect against
// decompression bombs. Between two steps of a long body, the worker can serve other requests.
#pragma once

#include "proxy/http/http_head.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

struct z_stream_s;  // the type of zlib's stream object

namespace photofinish::gateway {

enum class content_coding { identity, gzip, deflate };

// The value of the Accept-Encoding header in a 415 response.
inline constexpr std::string_view served_codings = "gzip, deflate";

// Returns the coding of a body. Returns nothing if the coding is unsupported or the body has several codings.
std::optional<content_coding> read_content_coding(std::span<const proxy::header_field> fields);

class body_decoder {
 public:
  // The maximum number of bytes that one step may read, and also the maximum that it may write. A step takes less than
  // half a millisecond.
  static constexpr std::size_t step_in_bytes = 16u << 10;
  static constexpr std::size_t step_out_bytes = 64u << 10;

  // `coding` must not be `identity`. The decoded body has at most `max_bytes`.
  body_decoder(content_coding coding, std::string encoded, std::size_t max_bytes);
  body_decoder(const body_decoder&) = delete;
  body_decoder& operator=(const body_decoder&) = delete;
  ~body_decoder();

  enum class progress { more, done, damaged, too_large };
  progress step();

  std::size_t decoded_bytes() const { return decoded_.size(); }
  std::string take() && { return std::move(decoded_); }  // call this only after step() has returned `done`

 private:
  progress after(int said, std::size_t moved);
  bool begin_next_member();

  const content_coding coding_;
  const std::string encoded_;
  const std::size_t max_bytes_;
  std::size_t consumed_ = 0;
  std::string decoded_;
  std::unique_ptr<z_stream_s> stream_;  // the stream is on the heap, because zlib keeps a pointer to it
};

}  // namespace photofinish::gateway
