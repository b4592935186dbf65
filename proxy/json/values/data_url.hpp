// Reads addresses of media in JSON: the content of data: URLs, and the kind of other addresses. [pure] Schemes and
// media types are decoded and compared without regard to case, so "image\/PNG" is image/png.
#pragma once

#include "proxy/json/base64.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/words/ascii.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// Returns the media type in a JSON string. `raw` is the JSON string without its quotes. For example, "Image\/PNG; q=1"
// becomes image/png. Some clients write image/jpg, which becomes image/jpeg.
inline std::string media_type_in(std::string_view raw) {
  std::string type = ascii_lower(json_unescape(raw));
  type.erase(std::min(type.find(';'), type.size()));
  while (type.ends_with(' ')) type.pop_back();
  type.erase(0, type.find_first_not_of(' '));
  return type == "image/jpg" ? "image/jpeg" : type;
}

// Detects the type of a file by its first bytes. Only PDF and the image types that models can read are detected. `raw`
// is a JSON string in base64, without its quotes. Returns an empty string for other files.
inline std::string_view sniffed_media_type(std::string_view raw) {
  // The first 16 base64 letters are sufficient to recognize a file type. If each letter is written as a JSON escape,
  // the letters take 96 bytes.
  constexpr std::size_t signature = 16, with_escapes = 96;
  std::string head = json_unescape(raw.substr(0, with_escapes)).substr(0, signature);
  head.resize(head.size() / 4 * 4);
  const std::string bytes = base64_decoded(head);
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return "image/png";
  if (bytes.starts_with("\xff\xd8\xff")) return "image/jpeg";
  if (bytes.starts_with("GIF87a") || bytes.starts_with("GIF89a")) return "image/gif";
  if (bytes.starts_with("RIFF") && bytes.substr(8) == "WEBP") return "image/webp";
  return bytes.starts_with("%PDF-") ? "application/pdf" : "";
}

// Returns the media type that the client specified. If the client specified none, returns the type detected from the
// first bytes. Both arguments are JSON strings without their quotes.
inline std::string media_type_of(std::string_view raw_type, std::string_view raw_data) {
  std::string type = media_type_in(raw_type);
  return type.empty() ? std::string(sniffed_media_type(raw_data)) : type;
}

// True for two words that are separated by a slash, such as "image/png".
inline bool is_media_type(std::string_view text) {
  const auto is_word = [](std::string_view word) {
    const auto fits = [](char each) {
      return (each >= 'a' && each <= 'z') || (each >= '0' && each <= '9') || each == '.' || each == '+' || each == '-';
    };
    return !word.empty() && std::all_of(word.begin(), word.end(), fits);
  };
  const std::size_t slash = text.find('/');
  return slash != std::string_view::npos && is_word(text.substr(0, slash)) && is_word(text.substr(slash + 1));
}

struct inline_media {
  std::string media_type;  // the type, for example "image/png"; empty if neither the URL nor the first bytes reveal it
  std::string_view data;   // the content in base64, as written in the JSON string
};

// Reads a data: URL. `raw` is a JSON string without its quotes. Returns nullopt if the string is not a data: URL with
// base64. Some clients omit "data:", as in "image/png;base64,AAAA".
inline std::optional<inline_media> read_data_url(std::string_view raw) {
  constexpr std::string_view scheme = "data:", encoding = "base64";
  constexpr std::size_t longest_head = 512;  // includes escapes
  const std::size_t comma = raw.substr(0, longest_head).find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  std::string head = ascii_lower(json_unescape(raw.substr(0, comma)));
  while (head.ends_with(' ')) head.pop_back();
  const bool has_scheme = head.starts_with(scheme);
  if (!head.ends_with(encoding)) return std::nullopt;
  head.erase(head.size() - encoding.size());
  while (head.ends_with(' ')) head.pop_back();
  if (!head.ends_with(';')) return std::nullopt;
  const std::string_view type = std::string_view(head).substr(has_scheme ? scheme.size() : 0);
  if (!has_scheme && !is_media_type(type.substr(0, type.find(';')))) return std::nullopt;
  return inline_media{media_type_of(type, raw.substr(comma + 1)), raw.substr(comma + 1)};
}

// Returns the first letters of an address, decoded and in lower case. They are sufficient to recognize the address's
// scheme.
inline std::string scheme_in(std::string_view raw) {
  constexpr std::size_t enough = 64;
  return ascii_lower(json_unescape(raw.substr(0, enough)));
}
inline bool is_data_url(std::string_view raw) { return scheme_in(raw).starts_with("data:"); }
inline bool is_web_address(std::string_view raw) {
  const std::string scheme = scheme_in(raw);
  return scheme.starts_with("http://") || scheme.starts_with("https://");
}
// True if the address begins with a scheme and two slashes, as in "gs://bucket/file". A scheme consists of ASCII
// letters, digits and "+-.".
inline bool is_absolute_address(std::string_view raw) {
  const std::string start = scheme_in(raw);
  const std::size_t end = start.find("://");
  const auto fits = [](char each) {
    return (each >= 'a' && each <= 'z') || (each >= '0' && each <= '9') || each == '.' || each == '+' || each == '-';
  };
  if (end == std::string::npos || end == 0 || start[0] < 'a' || start[0] > 'z') return false;
  return std::all_of(start.begin(), start.begin() + static_cast<std::ptrdiff_t>(end), fits);
}
inline bool is_s3_address(std::string_view raw) { return scheme_in(raw).starts_with("s3://"); }

// Returns the file name extension at the end of an address's path, in lower case, for example ".png". Returns an empty
// string if there is no dot near the end of the path.
inline std::string file_ending_in(std::string_view raw) {
  constexpr std::size_t enough = 32;
  const std::string_view path = raw.substr(0, raw.find_first_of("?#"));
  const std::string end = ascii_lower(json_unescape(path.substr(path.size() - std::min(path.size(), enough))));
  const std::size_t point = end.rfind('.');
  return point == std::string::npos ? std::string() : end.substr(point);
}

}  // namespace photofinish::proxy
