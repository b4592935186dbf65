// Parses bytes into frames of application/vnd.amazon.eventstream, checks them, and reads them in place. [pure] Any
// split of the bytes gives the same frames. A frame begins with its length, the length of its headers, and a checksum
// of both. The headers, the payload, and a checksum of all previous bytes follow. Numbers are big-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <optional>

namespace photofinish::proxy {

enum class header_type : std::uint8_t {
  yes,  // `yes` means true, and `no` means false; no bytes follow these two types
  no,
  int8,
  int16,
  int32,
  int64,
  bytes,
  text,
  timestamp,  // a time in milliseconds since 1970, as an int64
  uuid,
};

struct frame_header {
  std::string_view name;
  header_type type = header_type::text;
  std::string_view value;  // the value's bytes, without their length
};

// A frame is valid until the reader gets more bytes or returns the next frame. 64 bytes after the payload are readable.
struct event_frame {
  std::span<const frame_header> headers;
  std::string_view payload;

  // Returns the value of a text header, or an empty view if there is no header with that name.
  std::string_view text(std::string_view name) const;
};

class frame_reader {
 public:
  explicit frame_reader(std::size_t max_frame_bytes) : max_frame_bytes_(max_frame_bytes) {}

  // Passes the next bytes to the reader, which uses them in place until the next call of feed(). 64 bytes after the end
  // of `bytes` must be readable. Call this function only after next() has returned nothing.
  void feed(std::string_view bytes);

  // Returns the next whole frame, or nullopt if more bytes are needed or there is a fault. If more bytes are needed,
  // the reader first stores the bytes of the unfinished frame.
  std::optional<event_frame> next();

  // The reason why no more frames are returned, or an empty string.
  const std::string& fault() const { return fault_; }

  bool has_unread() const { return at_ != end_ && fault_.empty(); }
  // Stores the unread bytes, because the caller may release its buffer. sse_parser::keep_unread() does the same.
  std::size_t keep_unread();
  std::size_t held_bytes() const { return is_given_ ? 0 : partial_.size(); }
  // Returns the bytes of an incomplete frame at the end of the body. Call this function only after next() has returned
  // nothing.
  std::string_view unfinished() const { return is_given_ ? std::string_view{} : partial_; }

 private:
  std::string_view here() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }
  void drop_given();
  bool fill(std::size_t wanted);
  std::size_t length_of(std::string_view prelude);
  std::optional<event_frame> read(std::string_view frame);
  bool read_headers(std::string_view bytes);
  bool has_header(std::string_view name) const;
  bool fail(std::string why);

  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::size_t max_frame_bytes_;
  std::size_t length_ = 0;  // length of the partial frame, known after its prelude
  bool is_given_ = false;   // true if the partial frame was completed and returned
  std::string partial_;
  std::vector<frame_header> headers_;    // headers of the latest returned frame
  std::unique_ptr<std::string> unread_;  // bytes that keep_unread() stored; used until the next call of feed()
  std::string fault_;
};

}  // namespace photofinish::proxy
