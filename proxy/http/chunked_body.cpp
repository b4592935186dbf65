#include "proxy/http/chunked_body.hpp"

#include "proxy/http/http_head.hpp"
#include "proxy/words/ascii.hpp"

#include <algorithm>

namespace photofinish::proxy {
namespace {

// The maximum size of a chunk's first line with its extensions, in bytes. All trailers together have the same limit.
constexpr std::size_t max_line_bytes = 16u << 10;

// The maximum size of a chunk. No real body contains a larger chunk, and some parsers cannot represent a larger size.
constexpr std::uint64_t max_chunk_bytes = std::uint64_t{1} << 48;

bool is_control(char byte) {
  const auto code = static_cast<unsigned char>(byte);
  return (code < 0x20 && byte != '\t') || code == 0x7F;
}

}  // namespace

std::string_view chunked_body::next(std::string_view& bytes) {
  while (!bytes.empty() && at_ != place::end && at_ != place::nowhere) {
    if (at_ == place::data) return take_data(bytes);
    if (take_plain_head(bytes)) continue;
    at_ = ++line_bytes_ > max_line_bytes ? place::nowhere : step(bytes.front());
    bytes.remove_prefix(1);
  }
  return {};
}

// A fast path: reads the line end after a chunk's data, or a chunk size without extensions, if all of its bytes have
// arrived. Returns false if it read nothing.
bool chunked_body::take_plain_head(std::string_view& bytes) {
  if (at_ == place::data_cr && bytes.starts_with("\r\n")) {
    at_ = place::first_digit;
    bytes.remove_prefix(2);
    return true;
  }
  if (at_ != place::first_digit) return false;
  constexpr std::size_t most_digits = 8;
  std::uint64_t size = 0;
  std::size_t digits = 0;
  for (; digits < std::min(most_digits, bytes.size()); ++digits) {
    const int digit = hex_digit(bytes[digits]);
    if (digit < 0) break;
    size = size << 4 | static_cast<std::uint64_t>(digit);
  }
  if (digits == 0 || !bytes.substr(digits).starts_with("\r\n")) return false;
  left_ = size;
  at_ = size > 0 ? place::data : place::trailer;
  bytes.remove_prefix(digits + 2);
  return true;
}

std::string_view chunked_body::take_data(std::string_view& bytes) {
  const std::string_view data = bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size())));
  bytes.remove_prefix(data.size());
  left_ -= data.size();
  if (left_ == 0) at_ = place::data_cr;
  return data;
}

chunked_body::place chunked_body::step(char byte) {
  switch (at_) {
    case place::first_digit: return hex_digit(byte) < 0 ? place::nowhere : in_size(byte);
    case place::size: return in_size(byte);
    case place::extension: return in_extension(byte);
    case place::quoted: return in_quotes(byte);
    case place::quoted_pair: return is_control(byte) ? place::nowhere : place::quoted;
    case place::size_lf:
      if (byte != '\n') return place::nowhere;
      line_bytes_ = 0;
      return left_ > 0 ? place::data : place::trailer;
    case place::data_cr: return byte == '\r' ? place::data_lf : place::nowhere;
    case place::data_lf:
      line_bytes_ = 0;
      return byte == '\n' ? place::first_digit : place::nowhere;
    case place::trailer_lf: return byte == '\n' ? place::trailer : place::nowhere;
    case place::last_lf: return byte == '\n' ? place::end : place::nowhere;
    default: return in_trailer(byte);
  }
}

chunked_body::place chunked_body::in_size(char byte) {
  const int digit = hex_digit(byte);
  if (digit < 0) return in_extension(byte);
  left_ = left_ << 4 | static_cast<std::uint64_t>(digit);
  return left_ > max_chunk_bytes ? place::nowhere : place::size;
}

// Reads a byte after the chunk's size: either the line ends, or a semicolon begins an extension with any content.
chunked_body::place chunked_body::in_extension(char byte) const {
  if (byte == '\r') return place::size_lf;
  if (at_ != place::extension) return byte == ';' ? place::extension : place::nowhere;
  if (byte == '"') return place::quoted;
  return is_control(byte) ? place::nowhere : place::extension;
}

chunked_body::place chunked_body::in_quotes(char byte) const {
  if (is_control(byte)) return place::nowhere;
  if (byte == '\\') return place::quoted_pair;
  return byte == '"' ? place::extension : place::quoted;
}

chunked_body::place chunked_body::in_trailer(char byte) const {
  if (at_ == place::trailer && byte == '\r') return place::last_lf;
  if (at_ == place::trailer_value) {
    if (byte == '\r') return place::trailer_lf;
    return is_control(byte) ? place::nowhere : place::trailer_value;
  }
  if (at_ == place::trailer_name && byte == ':') return place::trailer_value;
  return is_token({&byte, 1}) ? place::trailer_name : place::nowhere;
}

}  // namespace photofinish::proxy
