#include "gateway/usage/usage_query.hpp"

#include "gateway/api/model_name.hpp"
#include "gateway/api/url_text.hpp"
#include "gateway/config/yaml/units.hpp"
#include "proxy/words/parse_number.hpp"

#include <algorithm>
#include <cstdint>

namespace photofinish::gateway {
namespace {

using std::chrono::sys_seconds;

constexpr std::int64_t last_time = 253'402'300'799;  // the end of the year 9999, in seconds since 1970

std::optional<sys_seconds> time_in(std::string_view text) {
  const auto number = proxy::parse_number<std::int64_t>(text);
  if (!number) return parse_time(text);
  if (*number < 0 || *number > last_time) return std::nullopt;
  return sys_seconds(std::chrono::seconds(*number));
}

std::optional<api_error> read_time(std::string_view query, const std::string& name, sys_seconds& into) {
  const auto text = query_value(query, name);
  if (!text) return std::nullopt;
  const auto time = time_in(*text);
  if (!time)
    return bad_request("'" + name + "' must be seconds since 1970, or a day or a time in UTC, as in 2026-11-01", name);
  into = *time;
  return std::nullopt;
}

std::optional<api_error> read_groups(std::string_view query, usage_query& into) {
  const std::string all = query_value(query, "group_by").value_or(query_value(query, "group_by[]").value_or(""));
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find(',', at), all.size());
    const std::string word = all.substr(at, end - at);
    if (word == "client") into.by_client = true;
    else if (word == "team") into.by_team = true;
    else if (word == "model") into.by_model = true;
    else if (word == "project") into.by_project = true;
    else
      return bad_request("'group_by' must be client, team, model, project, or several of these, separated by commas",
                         "group_by");
    at = end + 1;
  }
  return std::nullopt;
}

}  // namespace

std::variant<std::string, api_error> read_gateway_name(std::string_view query) {
  constexpr std::size_t longest = 64;
  std::string name = query_value(query, "gateway").value_or("");
  const auto is_odd = [](char byte) { return byte <= 0x20 || byte > 0x7E; };
  if (name.size() > longest || std::any_of(name.begin(), name.end(), is_odd))
    return bad_request("'gateway' must be the name of a gateway, at most 64 characters", "gateway");
  return name;
}

std::variant<usage_query, api_error> read_usage_query(std::string_view query, sys_seconds now) {
  usage_query wanted{.start = {}, .end = now + std::chrono::seconds(1)};
  const std::string width = query_value(query, "bucket_width").value_or("1d");
  if (width == "1h") wanted.width = std::chrono::hours(1);
  else if (width != "1d") return bad_request("'bucket_width' must be 1h or 1d", "bucket_width");
  if (auto error = read_time(query, "end_time", wanted.end)) return *std::move(error);
  wanted.start = wanted.end - (width == "1h" ? std::chrono::hours(24) : std::chrono::hours(30 * 24));
  if (auto error = read_time(query, "start_time", wanted.start)) return *std::move(error);
  if (wanted.start >= wanted.end) return bad_request("'start_time' must be before 'end_time'", "start_time");
  if (auto error = read_groups(query, wanted)) return *std::move(error);
  auto name = read_gateway_name(query);
  if (auto* error = std::get_if<api_error>(&name)) return std::move(*error);
  wanted.gateway = std::get<std::string>(std::move(name));
  return wanted;
}

}  // namespace photofinish::gateway
