#include "gateway/store/spend/post_codec.hpp"

#include <nlohmann/json.hpp>

namespace photofinish::gateway {
namespace {

using post_json = nlohmann::json;

constexpr int version = 1;
constexpr std::uint64_t most_number = std::uint64_t{1} << 62;

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

std::optional<known_spend> sum_in(const post_json& each) {
  if (!each.is_object()) return std::nullopt;
  for (const char* name : {"account", "window", "by"})
    if (!each.contains(name) || !each[name].is_string()) return std::nullopt;
  for (const char* name : {"nano_usd", "epoch", "begun", "window_ends"})
    if (!each.contains(name) || !each[name].is_number_unsigned() || each[name].get<std::uint64_t>() > most_number)
      return std::nullopt;
  known_spend made;
  made.account = each["account"];
  made.window = each["window"];
  made.window_ends = std::chrono::sys_seconds(std::chrono::seconds(each["window_ends"].get<std::int64_t>()));
  made.sum = {each["nano_usd"], {each["epoch"], each["begun"], each["by"]}};
  return made;
}

}  // namespace

std::string encode_spend(const kept_spend& kept) {
  post_json posts = post_json::array(), sums = post_json::array();
  for (const spend_post& each : kept.posts)
    posts.push_back({{"account", each.account}, {"window", each.window}, {"nano_usd", each.nano_usd},
                     {"writer", each.writer}, {"number", each.number},
                     {"window_ends", each.window_ends.time_since_epoch().count()}});
  for (const known_spend& each : kept.sums)
    sums.push_back({{"account", each.account}, {"window", each.window}, {"nano_usd", each.sum.nano_usd},
                    {"epoch", each.sum.history.epoch}, {"begun", each.sum.history.begun}, {"by", each.sum.history.by},
                    {"window_ends", each.window_ends.time_since_epoch().count()}});
  const post_json page{{"version", version}, {"posts", std::move(posts)}, {"sums", std::move(sums)}};
  return page.dump(-1, ' ', false, post_json::error_handler_t::replace);
}

std::optional<kept_spend> decode_spend(std::string_view text) {
  const post_json read = post_json::parse(text, nullptr, false);
  if (!read.is_object() || read.value("version", post_json()) != version || !read.contains("posts") ||
      !read["posts"].is_array())
    return std::nullopt;
  kept_spend kept;
  for (const post_json& each : read["posts"]) {
    auto made = post_in(each);
    if (!made) return std::nullopt;
    if (kept.posts.size() < spend_ledger::most_posts) kept.posts.push_back(*std::move(made));
  }
  if (!read.contains("sums") || !read["sums"].is_array()) return kept;
  for (const post_json& each : read["sums"]) {
    auto made = sum_in(each);
    if (!made) return std::nullopt;
    if (kept.sums.size() < spend_ledger::most_states) kept.sums.push_back(*std::move(made));
  }
  return kept;
}

}  // namespace photofinish::gateway
