// Media that lie in a request itself: what a data: URL holds. [pure]
#pragma once

#include <optional>
#include <string_view>

namespace photofinish::proxy {

// Both as they stand in the JSON string, escapes as written.
struct inline_media {
  std::string_view media_type;  // "image/png"; empty where the URL names none
  std::string_view data;        // base64
};

// `raw` is the text between a JSON string's quotes. None: it is no data: URL with base64 in it.
inline std::optional<inline_media> read_data_url(std::string_view raw) {
  constexpr std::string_view scheme = "data:", encoding = ";base64";
  if (!raw.starts_with(scheme)) return std::nullopt;
  raw.remove_prefix(scheme.size());
  constexpr std::size_t longest_type = 256;
  const std::size_t comma = raw.substr(0, longest_type).find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  std::string_view type = raw.substr(0, comma);
  if (!type.ends_with(encoding)) return std::nullopt;
  type.remove_suffix(encoding.size());
  return inline_media{type.substr(0, type.find(';')), raw.substr(comma + 1)};
}

}  // namespace photofinish::proxy
