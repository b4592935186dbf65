#include "proxy/failures/rate_headroom.hpp"

#include "proxy/failures/retry_after.hpp"
#include "proxy/words/parse_number.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace photofinish::proxy {
namespace {

using fields_of_head = std::span<const std::pair<std::string, std::string>>;

constexpr std::uint32_t longest_ms = 24u * 3'600'000u;

std::optional<std::uint32_t> count_in(std::string_view text) {
  const auto value = parse_number<double>(text);  // some providers write numbers as 1000.0
  if (!value || !(*value >= 0)) return std::nullopt;
  return static_cast<std::uint32_t>(std::min(*value, 4e9));
}

// Reads durations such as "6m0s", "1h2m3.5s" and "20ms". A plain number counts as seconds.
std::optional<std::uint32_t> duration_in(std::string_view text) {
  double all = 0;
  while (!text.empty()) {
    double number = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (ec != std::errc{} || !(number >= 0)) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const std::string_view unit = text.substr(0, text.starts_with("ms") ? 2 : text.empty() ? 0 : 1);
    const double factor = unit == "ms"             ? 1
                          : unit.empty() || unit == "s" ? 1'000
                          : unit == "m"            ? 60'000
                          : unit == "h"            ? 3'600'000
                          : unit == "d"            ? 86'400'000
                                                   : -1;
    if (factor < 0) return std::nullopt;
    all += number * factor;
    text.remove_prefix(unit.size());
  }
  return static_cast<std::uint32_t>(std::min(all, double{longest_ms}));
}

std::uint32_t reset_in(std::string_view text, std::chrono::sys_seconds now) {
  if (const auto when = read_rfc3339(text)) {
    const auto rest = std::clamp<std::chrono::seconds>(*when - now, std::chrono::seconds(0), std::chrono::hours(24));
    return static_cast<std::uint32_t>(rest.count() * 1'000);
  }
  return duration_in(text).value_or(0);
}

std::string_view value_of(fields_of_head fields, const std::string& name) {
  for (const auto& [each, value] : fields)
    if (each == name) return value;
  return {};
}

// The rate limit that a header names. `reset` and `all` are the names of two other headers, which contain the time
// until the limit is reset and the size of the limit.
struct limit_name {
  bool is_requests;
  std::string reset, all;
};

std::optional<limit_name> limit_named(std::string_view name) {
  constexpr std::string_view open = "x-ratelimit-remaining-", close = "-remaining", anthropic = "anthropic-ratelimit-";
  if (name.starts_with(open)) {
    const std::string_view what = name.substr(open.size());
    if (!what.starts_with("requests") && !what.starts_with("tokens")) return std::nullopt;
    const std::string window(what);
    return limit_name{what.starts_with("requests"), "x-ratelimit-reset-" + window, "x-ratelimit-limit-" + window};
  }
  if (!name.starts_with(anthropic) || !name.ends_with(close)) return std::nullopt;
  const std::string_view what = name.substr(anthropic.size(), name.size() - anthropic.size() - close.size());
  if (what != "requests" && what != "tokens" && what != "input-tokens" && what != "output-tokens") return std::nullopt;
  const std::string stem(name.substr(0, name.size() - close.size()));
  return limit_name{what == "requests", stem + "-reset", stem + "-limit"};
}

}  // namespace

rate_headroom read_rate_headroom(fields_of_head fields, std::chrono::sys_seconds now) {
  rate_headroom read;
  for (const auto& [name, value] : fields) {
    if (name.find("ratelimit-") == std::string::npos) continue;
    const auto limit = limit_named(name);
    const auto left = limit ? count_in(value) : std::nullopt;
    if (!left) continue;
    std::uint32_t& kept = limit->is_requests ? read.requests : read.tokens;
    if (*left >= kept) continue;
    kept = *left;
    std::uint32_t& reset = limit->is_requests ? read.requests_reset_ms : read.tokens_reset_ms;
    reset = reset_in(value_of(fields, limit->reset), now);
    std::uint32_t& all = limit->is_requests ? read.requests_limit : read.tokens_limit;
    all = count_in(value_of(fields, limit->all)).value_or(rate_headroom::unknown);
  }
  return read;
}

}  // namespace photofinish::proxy
