#include "gateway/store/post_codec.hpp"

#include "gateway/store/spend_ledger.hpp"

#include <nlohmann/json.hpp>

namespace photofinish::gateway {
namespace {

using post_json = nlohmann::json;

constexpr int version = 1;

std::optional<spend_post> post_in(const post_json& each) {
  if (!each.is_object()) return std::nullopt;
  for (const char* name : {"account", "window", "writer"})
    if (!each.contains(name) || !each[name].is_string()) return std::nullopt;
  for (const char* name : {"nano_usd", "number", "window_ends"})
    if (!each.contains(name) || !each[name].is_number_integer()) return std::nullopt;
  spend_post made{.account = each["account"], .window = each["window"], .nano_usd = each["nano_usd"],
                  .writer = each["writer"], .number = each["number"]};
  made.window_ends = std::chrono::sys_seconds(std::chrono::seconds(each["window_ends"].get<std::int64_t>()));
  return made;
}

}  // namespace

std::string encode_posts(const std::vector<spend_post>& posts) {
  post_json all = post_json::array();
  for (const spend_post& each : posts)
    all.push_back({{"account", each.account}, {"window", each.window}, {"nano_usd", each.nano_usd},
                   {"writer", each.writer}, {"number", each.number},
                   {"window_ends", each.window_ends.time_since_epoch().count()}});
  const post_json page{{"version", version}, {"posts", std::move(all)}};
  return page.dump(-1, ' ', false, post_json::error_handler_t::replace);
}

std::optional<std::vector<spend_post>> decode_posts(std::string_view text) {
  const post_json read = post_json::parse(text, nullptr, false);
  if (!read.is_object() || read.value("version", post_json()) != version || !read.contains("posts") ||
      !read["posts"].is_array())
    return std::nullopt;
  std::vector<spend_post> posts;
  for (const post_json& each : read["posts"]) {
    auto made = post_in(each);
    if (!made) return std::nullopt;
    if (posts.size() < spend_ledger::most_posts) posts.push_back(*std::move(made));
  }
  return posts;
}

}  // namespace photofinish::gateway
