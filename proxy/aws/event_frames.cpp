#include "proxy/aws/event_frames.hpp"

#include "proxy/aws/crc32.hpp"
#include "proxy/json/json_text.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace photofinish::proxy {
namespace {

constexpr std::size_t prelude_bytes = 12;  // size of the two length fields and of their checksum
constexpr std::size_t checksum_bytes = 4;
constexpr std::size_t kept_room = 64u << 10;           // maximum buffer capacity that is kept for the next partial
                                                       // frame
constexpr std::size_t most_header_bytes = 128u << 10;  // AWS's own limit for the headers of a frame
// AWS sends three headers in a frame. The number is limited, because each header is compared with all previous headers.
constexpr std::size_t most_headers = 32;

std::uint32_t number_at(std::string_view bytes, std::size_t from, std::size_t size = 4) {
  std::uint32_t number = 0;
  for (std::size_t at = from; at < from + size; ++at) number = number << 8 | static_cast<unsigned char>(bytes[at]);
  return number;
}

// The size of the value for each type of header. nullopt means that two bytes with the length precede the value.
constexpr std::array<std::optional<std::size_t>, 10> sizes_of_types{0, 0,            1,            2, 4,
                                                                    8, std::nullopt, std::nullopt, 8, 16};

}  // namespace

std::string_view event_frame::text(std::string_view name) const {
  for (const frame_header& each : headers)
    if (each.name == name && each.type == header_type::text) return each.value;
  return {};
}

void frame_reader::feed(std::string_view bytes) {
  assert(at_ == end_ || !fault_.empty());
  drop_given();
  unread_.reset();
  at_ = bytes.data();
  end_ = at_ + bytes.size();
}

std::optional<event_frame> frame_reader::next() {
  drop_given();
  if (!fault_.empty()) return std::nullopt;
  if (partial_.empty() && here().size() >= prelude_bytes) {
    const std::size_t length = length_of(here());
    if (length == 0) return std::nullopt;
    if (length <= here().size()) {
      at_ += length;
      return read({at_ - length, length});
    }
  }
  if (!fill(prelude_bytes)) return std::nullopt;
  if (length_ == 0) length_ = length_of(partial_);
  if (length_ == 0 || !fill(length_)) return std::nullopt;
  is_given_ = true;
  return read(partial_);
}

std::size_t frame_reader::keep_unread() {
  drop_given();
  if (!has_unread() || unread_) return here().size();
  unread_ = std::make_unique<std::string>();
  unread_->reserve(here().size() + readable_behind);
  unread_->assign(at_, end_);
  at_ = unread_->data();
  end_ = at_ + unread_->size();
  return unread_->size();
}

// Shrinks the buffer after a very large frame, because most frames need much less memory.
void frame_reader::drop_given() {
  if (!is_given_) return;
  is_given_ = false;
  length_ = 0;
  partial_.clear();
  if (partial_.capacity() > kept_room) partial_.shrink_to_fit();
}

// Copies available bytes until the partial frame has `wanted` bytes. If the buffer is too small, doubles its capacity,
// so that a long frame is copied as rarely as possible.
bool frame_reader::fill(std::size_t wanted) {
  const std::string_view more = here().substr(0, wanted - std::min(wanted, partial_.size()));
  const std::size_t room = partial_.size() + more.size() + readable_behind;
  if (partial_.capacity() < room) partial_.reserve(std::max(room, 2 * partial_.capacity()));
  partial_ += more;
  at_ += more.size();
  return partial_.size() >= wanted;
}

// Returns the length of the whole frame. If the frame is malformed, records the fault and returns 0.
std::size_t frame_reader::length_of(std::string_view prelude) {
  const std::size_t length = number_at(prelude, 0), headers = number_at(prelude, 4);
  const bool is_true = number_at(prelude, 8) == crc32_of(prelude.substr(0, 8));
  if (!is_true) fail("the checksum of a frame's length is wrong");
  else if (length > max_frame_bytes_) fail("a frame is larger than " + std::to_string(max_frame_bytes_) + " bytes");
  else if (headers > most_header_bytes) fail("a frame's headers are too large");
  else if (length < prelude_bytes + headers + checksum_bytes) fail("a frame is too short for its headers");
  return fault_.empty() ? length : 0;
}

std::optional<event_frame> frame_reader::read(std::string_view frame) {
  const std::size_t end = frame.size() - checksum_bytes, headers = number_at(frame, 4);
  if (number_at(frame, end) != crc32_of(frame.substr(0, end))) fail("the checksum of a frame is wrong");
  else if (read_headers(frame.substr(prelude_bytes, headers)))
    return event_frame{headers_, frame.substr(prelude_bytes + headers, end - prelude_bytes - headers)};
  return std::nullopt;
}

bool frame_reader::read_headers(std::string_view bytes) {
  headers_.clear();
  const auto take = [&bytes](std::size_t size) {
    const std::string_view taken = bytes.substr(0, size);
    bytes.remove_prefix(taken.size());
    return taken;
  };
  while (!bytes.empty()) {
    const std::size_t name_bytes = number_at(take(1), 0, 1);
    if (name_bytes == 0 || bytes.size() < name_bytes + 1) return fail("a frame's header has no name or no type");
    const std::string_view name = take(name_bytes);
    const std::size_t type = number_at(take(1), 0, 1);
    if (type >= sizes_of_types.size()) return fail("a frame's header has an unknown type");
    if (!sizes_of_types[type] && bytes.size() < 2) return fail("a frame's header is cut off");
    const std::size_t size = sizes_of_types[type] ? *sizes_of_types[type] : number_at(take(2), 0, 2);
    if (bytes.size() < size) return fail("a frame's header is cut off");
    if (has_header(name)) return fail("a frame has two headers with the same name");
    if (headers_.size() == most_headers) return fail("a frame has too many headers");
    headers_.push_back({name, static_cast<header_type>(type), take(size)});
  }
  return true;
}

bool frame_reader::has_header(std::string_view name) const {
  return std::any_of(headers_.begin(), headers_.end(), [name](const frame_header& each) { return each.name == name; });
}

bool frame_reader::fail(std::string why) {
  fault_ = std::move(why);
  return false;
}

}  // namespace photofinish::proxy
