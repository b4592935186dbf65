// Writes frames of application/vnd.amazon.eventstream. This code is independent of the product's reader: it computes the checksum bit by
// bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::test {

inline std::uint32_t slow_crc32(std::string_view bytes) {
  std::uint32_t sum = 0xFFFFFFFF;
  for (const char byte : bytes) {
    sum ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) sum = (sum & 1) != 0 ? (sum >> 1) ^ 0xEDB88320 : sum >> 1;
  }
  return ~sum;
}

inline std::string big_endian(std::uint64_t number, std::size_t bytes) {
  std::string made(bytes, '\0');
  for (std::size_t at = bytes; at-- > 0; number >>= 8) made[at] = static_cast<char>(number & 0xFF);
  return made;
}

// Writes a header of any type. `value` contains the raw bytes of the value, including a length prefix if the type has one.
inline std::string raw_header(std::string_view name, std::uint8_t type, std::string_view value) {
  return big_endian(name.size(), 1).append(name).append(1, static_cast<char>(type)).append(value);
}

inline std::string text_header(std::string_view name, std::string_view value) {
  return raw_header(name, 7, big_endian(value.size(), 2).append(value));
}

inline std::string frame_of(std::string_view headers, std::string_view payload) {
  std::string frame = big_endian(headers.size() + payload.size() + 16, 4) + big_endian(headers.size(), 4);
  frame += big_endian(slow_crc32(frame), 4);
  frame.append(headers).append(payload);
  return frame + big_endian(slow_crc32(frame), 4);
}

inline std::string event_frame_of(std::string_view type, std::string_view json) {
  return frame_of(text_header(":event-type", type) + text_header(":content-type", "application/json") +
                      text_header(":message-type", "event"),
                  json);
}

inline std::string exception_frame_of(std::string_view type, std::string_view json) {
  return frame_of(text_header(":exception-type", type) + text_header(":content-type", "application/json") +
                      text_header(":message-type", "exception"),
                  json);
}

}  // namespace photofinish::test
