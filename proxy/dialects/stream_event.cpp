#include "proxy/dialects/stream_event.hpp"

namespace photofinish::proxy {
namespace {

constexpr std::size_t long_text_bytes = 64u << 10;

// Where `json` holds the text as it is, if it is long and is found at once: nothing is searched for twice. Else empty.
std::string_view found_in(std::string_view json, std::string_view text) {
  constexpr std::size_t beginning = 32;
  if (text.size() < long_text_bytes) return {};
  const std::size_t at = json.find(text.substr(0, beginning));
  return at != std::string_view::npos && json.substr(at, text.size()) == text ? json.substr(at, text.size())
                                                                              : std::string_view{};
}

}  // namespace

kept_text::kept_text(std::span<const text_delta> text, std::string_view json) : deltas_(text.begin(), text.end()) {
  std::size_t bytes = 0;
  for (text_delta& each : deltas_) {
    const std::string_view found = found_in(json, each.text);
    if (!found.empty()) each.text = found;
    else bytes += each.text.size();
  }
  bytes_.reserve(bytes);  // views into it stay good
  for (text_delta& each : deltas_) {
    if (!json.empty() && each.text.data() >= json.data() && each.text.data() < json.data() + json.size()) continue;
    const char* const begin = bytes_.data() + bytes_.size();
    bytes_.insert(bytes_.end(), each.text.begin(), each.text.end());
    each.text = {begin, each.text.size()};
  }
}

}  // namespace photofinish::proxy
