// Builds HTTP/2 frames byte by byte, as a server sends them. The frames may be valid or invalid.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::testing::h2 {

enum type : std::uint8_t { data, headers, priority, rst_stream, settings, push_promise, ping, goaway, window_update, continuation };
constexpr std::uint8_t end_stream = 0x1, end_headers = 0x4, ack = 0x1;

inline std::string number(std::uint64_t value, int bytes) {
  std::string out;
  for (int each = bytes - 1; each >= 0; --each) out += static_cast<char>(value >> (8 * each) & 0xFF);
  return out;
}

inline std::string frame(std::uint8_t what, std::uint8_t flags, std::uint32_t stream, std::string_view payload = "") {
  return number(payload.size(), 3) + static_cast<char>(what) + static_cast<char>(flags) + number(stream, 4) +
         std::string(payload);
}

using fields = std::vector<std::pair<std::string_view, std::string_view>>;

// Encodes header fields in the simplest form of HPACK: each field is literal, never indexed, not Huffman-coded, and shorter than 127 bytes.
inline std::string block(const fields& all) {
  std::string out;
  for (const auto& [name, value] : all) {
    out += '\x10';
    out += static_cast<char>(name.size());
    out += name;
    out += static_cast<char>(value.size());
    out += value;
  }
  return out;
}

inline std::string head(std::uint32_t stream, const fields& all, std::uint8_t flags = 0) {
  return frame(headers, flags | end_headers, stream, block(all));
}
inline std::string ok_head(std::uint32_t stream, std::uint8_t flags = 0) {
  return head(stream, {{":status", "200"}, {"content-type", "text/event-stream"}}, flags);
}
inline std::string body(std::uint32_t stream, std::string_view bytes, std::uint8_t flags = 0) {
  return frame(data, flags, stream, bytes);
}
inline std::string reset(std::uint32_t stream, std::uint32_t code) { return frame(rst_stream, 0, stream, number(code, 4)); }
inline std::string going(std::uint32_t last, std::uint32_t code = 0) {
  return frame(goaway, 0, 0, number(last, 4) + number(code, 4));
}
// The server's first SETTINGS frame, followed by the acknowledgement of the client's SETTINGS frame.
inline std::string greeting() { return frame(settings, 0, 0) + frame(settings, ack, 0); }
inline std::string setting(std::uint16_t id, std::uint32_t value) {
  return frame(settings, 0, 0, number(id, 2) + number(value, 4));
}
constexpr std::uint16_t max_concurrent_streams = 3, initial_window_size = 4;

}  // namespace photofinish::testing::h2
