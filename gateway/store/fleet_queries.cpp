#include "gateway/store/fleet_queries.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace photofinish::gateway {
namespace {

using query_json = nlohmann::json;

constexpr std::size_t longest_word = 256;   // the maximum length in bytes of a name or an id
constexpr std::int64_t longest_window = 401 * 86'400, most_counted = 1'000;

std::string seconds_text(std::chrono::seconds time) { return std::to_string(time.count()); }

std::optional<std::string> word_in(const query_json& from, const char* name) {
  const auto found = from.find(name);
  if (found == from.end() || !found->is_string()) return std::nullopt;
  const auto& text = found->get_ref<const std::string&>();
  return text.size() <= longest_word ? std::optional(text) : std::nullopt;
}

std::int64_t number_of(const query_json& from, const char* name, std::int64_t most) {
  const auto found = from.find(name);
  if (found == from.end() || !found->is_number_integer()) return 0;
  return std::clamp<std::int64_t>(found->get<std::int64_t>(), 0, most);
}

std::optional<fleet_query> query_in(const std::string& id, const std::string& text) {
  const query_json value = query_json::parse(text, nullptr, false);
  if (id.empty() || id.size() > longest_word || !value.is_object()) return std::nullopt;
  const auto kind = proxy::parse_word<query_kind>(word_in(value, "kind").value_or(""));
  const auto gateway = word_in(value, "gateway"), caller = word_in(value, "caller");
  if (!kind || !gateway || !caller) return std::nullopt;
  fleet_query query{.id = id, .kind = *kind, .gateway = *gateway, .caller = *caller};
  query.window = std::chrono::seconds(number_of(value, "window", longest_window));
  query.count = static_cast<std::size_t>(number_of(value, "count", most_counted));
  query.sees_all = value.contains("sees_all") && value["sees_all"] == true;
  query.at = std::chrono::sys_seconds(std::chrono::seconds(number_of(value, "at", std::int64_t{1} << 40)));
  return query;
}

}  // namespace

store_command fleet_query_commands::ask(const fleet_query& query) const {
  const query_json value{{"kind", proxy::word_of(query.kind)},
                         {"gateway", query.gateway},
                         {"window", query.window.count()},
                         {"count", query.count},
                         {"caller", query.caller},
                         {"sees_all", query.sees_all},
                         {"at", query.at.time_since_epoch().count()}};
  return {"HSET", prefix_ + ":stats:queries", query.id,
          value.dump(-1, ' ', false, query_json::error_handler_t::replace)};
}

store_command fleet_query_commands::read_queries() const { return {"HGETALL", prefix_ + ":stats:queries"}; }

store_command fleet_query_commands::remove_query(const std::string& id) const {
  return {"HDEL", prefix_ + ":stats:queries", id};
}

store_command fleet_query_commands::answer(const std::string& id, const std::string& run,
                                           const std::string& page) const {
  return {"SET", answer_name(id, run), page, "EX", seconds_text(answer_life)};
}

store_command fleet_query_commands::read_answer(const std::string& id, const std::string& run) const {
  return {"GET", answer_name(id, run)};
}

store_command fleet_query_commands::watch() const {
  return {"SET", prefix_ + ":stats:watched", "1", "EX", seconds_text(watched_for)};
}

store_command fleet_query_commands::read_watch() const { return {"GET", prefix_ + ":stats:watched"}; }

store_command fleet_query_commands::write_figures(const std::string& run, const std::string& figures) const {
  return {"SET", figures_name(run), figures, "EX", seconds_text(figures_life)};
}

store_command fleet_query_commands::read_figures(const std::string& run) const { return {"GET", figures_name(run)}; }

std::vector<fleet_query> queries_in(const store_reply& reply) {
  std::vector<fleet_query> all;
  if (reply.kind != reply_kind::list) return all;
  for (std::size_t at = 0; at + 1 < reply.list.size() && all.size() < fleet_query_commands::most_queries; at += 2)
    if (auto query = query_in(reply.list[at].text, reply.list[at + 1].text)) all.push_back(*std::move(query));
  return all;
}

}  // namespace photofinish::gateway
