// Bytes in, frames of application/vnd.amazon.eventstream out: checked, and read where they lie. [pure]
// Any split of the bytes gives the same frames. A frame: its length and that of its headers, their checksum, headers,
// payload, and the checksum of all that; numbers are big-endian.
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
  yes,  // without a value, as `no`
  no,
  int8,
  int16,
  int32,
  int64,
  bytes,
  text,
  timestamp,  // milliseconds, as an int64
  uuid,
};

struct frame_header {
  std::string_view name;
  header_type type = header_type::text;
  std::string_view value;  // as it is on the wire, without its length
};

// Lives until the reader is next fed or asked; 64 bytes behind the payload may be read.
struct event_frame {
  std::span<const frame_header> headers;
  std::string_view payload;

  // Of a text; empty where there is none of that name.
  std::string_view text(std::string_view name) const;
};

class frame_reader {
 public:
  explicit frame_reader(std::size_t max_frame_bytes) : max_frame_bytes_(max_frame_bytes) {}

  // Borrows the bytes until the next feed; 64 bytes behind them must be readable. Only when next() has given nothing.
  void feed(std::string_view bytes);

  // The next whole frame; none when more bytes are needed, or there is a fault. What is unfinished then is kept here.
  std::optional<event_frame> next();

  // Why nothing comes out any more; empty: nothing is wrong.
  const std::string& fault() const { return fault_; }

  bool has_unread() const { return at_ != end_ && fault_.empty(); }
  // As of sse_parser.
  std::size_t keep_unread();
  std::size_t held_bytes() const { return is_given_ ? 0 : partial_.size(); }
  // Of the frame that the end of the body cut off. Only when next() has given nothing.
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
  std::size_t length_ = 0;  // of the partial frame, once its prelude is here
  bool is_given_ = false;   // the partial frame became whole, and was given
  std::string partial_;
  std::vector<frame_header> headers_;  // of the frame that was given last
  std::unique_ptr<std::string> unread_;  // what keep_unread() has kept, until the next feed
  std::string fault_;
};

}  // namespace photofinish::proxy
