// Addresses of media in JSON: what a data: URL holds, and what kind of address another one is. Schemes and media types
// are compared without case, and decoded first: "image\/PNG" is image/png. [pure]
#pragma once

#include "proxy/json/json_text.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// ASCII letters alone.
inline std::string ascii_lower(std::string text) {
  for (char& each : text)
    if (each >= 'A' && each <= 'Z') each = static_cast<char>(each - 'A' + 'a');
  return text;
}

// `raw` is the text between a JSON string's quotes: "Image\/JPG; q=1" is image/jpeg, which some clients call image/jpg.
inline std::string media_type_in(std::string_view raw) {
  std::string type = ascii_lower(json_unescape(raw));
  type.erase(std::min(type.find(';'), type.size()));
  while (type.ends_with(' ')) type.pop_back();
  type.erase(0, type.find_first_not_of(' '));
  return type == "image/jpg" ? "image/jpeg" : type;
}

struct inline_media {
  std::string media_type;  // "image/png"; empty where the URL names none
  std::string_view data;   // base64, as it stands in the JSON string
};

// `raw` is the text between a JSON string's quotes. None: it is not a data: URL with base64 in it.
inline std::optional<inline_media> read_data_url(std::string_view raw) {
  constexpr std::string_view scheme = "data:", encoding = "base64";
  constexpr std::size_t longest_head = 512;  // escapes included
  const std::size_t comma = raw.substr(0, longest_head).find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  std::string head = ascii_lower(json_unescape(raw.substr(0, comma)));
  while (head.ends_with(' ')) head.pop_back();
  if (!head.starts_with(scheme) || !head.ends_with(encoding)) return std::nullopt;
  head.erase(head.size() - encoding.size());
  while (head.ends_with(' ')) head.pop_back();
  if (!head.ends_with(';')) return std::nullopt;
  return inline_media{media_type_in(std::string_view(head).substr(scheme.size())), raw.substr(comma + 1)};
}

// The first letters of an address, decoded and in lower case: enough to see its scheme.
inline std::string scheme_in(std::string_view raw) {
  constexpr std::size_t enough = 64;
  return ascii_lower(json_unescape(raw.substr(0, enough)));
}
inline bool is_data_url(std::string_view raw) { return scheme_in(raw).starts_with("data:"); }
inline bool is_web_address(std::string_view raw) {
  const std::string scheme = scheme_in(raw);
  return scheme.starts_with("http://") || scheme.starts_with("https://");
}
inline bool is_s3_address(std::string_view raw) { return scheme_in(raw).starts_with("s3://"); }

// How an address's path ends, from its last point on, in lower case: ".png". Empty: without a point near its end.
inline std::string file_ending_in(std::string_view raw) {
  constexpr std::size_t enough = 32;
  const std::string_view path = raw.substr(0, raw.find_first_of("?#"));
  const std::string end = ascii_lower(json_unescape(path.substr(path.size() - std::min(path.size(), enough))));
  const std::size_t point = end.rfind('.');
  return point == std::string::npos ? std::string() : end.substr(point);
}

}  // namespace photofinish::proxy
