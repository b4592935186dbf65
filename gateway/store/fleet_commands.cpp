#include "gateway/store/fleet_commands.hpp"

#include "gateway/store/fleet_scope.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace photofinish::gateway {
namespace {

using fleet_json = nlohmann::json;

constexpr std::size_t longest_text = fleet_commands::longest_text;
constexpr std::chrono::hours hours_kept{96}, days_kept{401 * 24};

std::string unix_text(std::chrono::sys_seconds time) { return std::to_string(time.time_since_epoch().count()); }

std::string life_of(const shared_bucket& bucket) {
  const std::chrono::seconds life = bucket.width == 'h' ? hours_kept : days_kept;
  return std::to_string(life.count());
}

bool is_short_text(const fleet_json& from, const char* name) {
  return from.contains(name) && from[name].is_string() &&
         from[name].get_ref<const std::string&>().size() <= longest_text;
}

// Calls `take` for each field of a hash whose value is a JSON object.
template <class Take>
void each_object(const store_reply& reply, const Take& take) {
  if (reply.kind != reply_kind::list) return;
  for (std::size_t at = 0; at + 1 < reply.list.size(); at += 2) {
    const std::string& name = reply.list[at].text;
    const fleet_json value = fleet_json::parse(reply.list[at + 1].text, nullptr, false);
    if (!name.empty() && name.size() <= longest_text && value.is_object()) take(name, value);
  }
}

std::chrono::sys_seconds second_of(std::int64_t number) {
  constexpr std::int64_t last = std::int64_t{1} << 40;
  return std::chrono::sys_seconds(std::chrono::seconds(std::clamp<std::int64_t>(number, 0, last)));
}

std::optional<std::chrono::sys_seconds> time_in(const fleet_json& from, const char* name) {
  const auto found = from.find(name);
  if (found == from.end() || !found->is_number_integer()) return std::nullopt;
  return second_of(found->get<std::int64_t>());
}

std::chrono::sys_seconds sign_time_in(const fleet_json& from) {
  return time_in(from, "at").value_or(std::chrono::sys_seconds{});
}

std::vector<bucket_range> listed_in(const fleet_json& from) {
  constexpr std::size_t most_ranges = 1'000;
  std::vector<bucket_range> all;
  const fleet_json listed = from.value("listed", fleet_json::object());
  for (const char width : {'h', 'd'}) {
    if (!listed.is_object()) break;
    const fleet_json numbers = listed.value(std::string(1, width), fleet_json::array());
    for (std::size_t at = 0; numbers.is_array() && at + 1 < numbers.size() && all.size() < most_ranges; at += 2)
      if (numbers[at].is_number_integer() && numbers[at + 1].is_number_integer())
        all.push_back({width, numbers[at].get<std::int64_t>(), numbers[at + 1].get<std::int64_t>()});
  }
  return all;
}

std::int64_t number_of_bucket(const shared_bucket& bucket) {
  return bucket.start.time_since_epoch() / (bucket.width == 'h' ? std::chrono::hours(1) : std::chrono::hours(24));
}

std::optional<std::vector<std::string>> heard_in(const fleet_json& from) {
  const auto found = from.find("heard");
  if (found == from.end() || !found->is_array()) return std::nullopt;
  std::vector<std::string> all;
  for (const fleet_json& each : *found)
    if (each.is_string() && all.size() < fleet_commands::most_questions) all.push_back(each.get<std::string>());
  return all;
}

std::string text_of_json(const fleet_json& value) {
  return value.dump(-1, ' ', false, fleet_json::error_handler_t::replace);
}

}  // namespace

std::vector<store_command> fleet_commands::enter(const fleet_entry& entry) const {
  const std::string key = prefix_ + ":stats:gateways";
  fleet_json value{{"name", entry.name}, {"book", entry.book}, {"at", entry.at.time_since_epoch().count()},
                   {"queries", entry.answers_queries}};
  if (entry.heard) value["heard"] = *entry.heard;
  if (entry.filled) value["filled"] = entry.filled->time_since_epoch().count();
  for (const bucket_range& each : entry.listed) {
    fleet_json& numbers = value["listed"][std::string(1, each.width)];
    numbers.push_back(each.first);
    numbers.push_back(each.last);
  }
  return {{"HSET", key, entry.run, text_of_json(value)}, {"EXPIRE", key, std::to_string(entry_life.count())}};
}

store_command fleet_commands::leave(const std::string& run) const { return {"HDEL", prefix_ + ":stats:gateways", run}; }

store_command fleet_commands::read_entries() const { return {"HGETALL", prefix_ + ":stats:gateways"}; }

store_command fleet_commands::read_living() const { return {"HGETALL", prefix_ + ":live"}; }

std::vector<store_command> fleet_commands::begin_sharing(std::chrono::sys_seconds now) const {
  const std::string key = prefix_ + ":stats:usage:since";
  const auto life = std::chrono::duration_cast<std::chrono::seconds>(days_kept).count();
  return {{"SET", key, unix_text(now), "NX"}, {"EXPIRE", key, std::to_string(life)}};
}

store_command fleet_commands::read_begin() const { return {"GET", prefix_ + ":stats:usage:since"}; }

std::vector<store_command> fleet_commands::list_bucket(const shared_bucket& bucket, const bucket_part& part) const {
  const std::string key = prefix_ + ":stats:usage:" + bucket.width + ":" + unix_text(bucket.start);
  const fleet_json value{{"name", part.name}, {"parts", part.parts}};
  return {{"HSET", key, part.book, text_of_json(value)}, {"EXPIRE", key, life_of(bucket)}};
}

store_command fleet_commands::read_bucket(const shared_bucket& bucket) const {
  return {"HGETALL", prefix_ + ":stats:usage:" + bucket.width + ":" + unix_text(bucket.start)};
}

std::string fleet_commands::rows_name(const shared_bucket& bucket, const bucket_part& part, std::size_t number) const {
  return prefix_ + ":stats:usage:" + bucket.width + ":" + unix_text(bucket.start) + ":" + part.book + ":" +
         std::to_string(part.parts) + "." + std::to_string(number);
}

std::vector<store_command> fleet_commands::write_rows(const shared_bucket& bucket, const bucket_part& part,
                                                      std::size_t number, std::vector<std::string> rows) const {
  const std::string key = rows_name(bucket, part, number);
  store_command write{"HSET", key};
  write.insert(write.end(), std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
  return {std::move(write), {"EXPIRE", key, life_of(bucket)}};
}

std::vector<store_command> fleet_commands::read_rows(const shared_bucket& bucket, const bucket_part& part) const {
  std::vector<store_command> all;
  for (std::size_t each = 0; each < part.parts; ++each) all.push_back({"HGETALL", rows_name(bucket, part, each)});
  return all;
}

std::vector<store_command> fleet_commands::end_rows(const shared_bucket& bucket, const bucket_part& part) const {
  std::vector<store_command> all;
  for (std::size_t each = 0; each < part.parts; ++each) all.push_back({"EXPIRE", rows_name(bucket, part, each), "60"});
  return all;
}

store_command fleet_commands::ask(const fleet_question& question) const {
  const fleet_json value{{"receipt", question.receipt}, {"caller", question.caller}, {"sees_all", question.sees_all},
                         {"at", question.at.time_since_epoch().count()}};
  return {"HSET", prefix_ + ":stats:questions", question.id, text_of_json(value)};
}

store_command fleet_commands::read_questions() const { return {"HGETALL", prefix_ + ":stats:questions"}; }

store_command fleet_commands::remove_question(const std::string& id) const {
  return {"HDEL", prefix_ + ":stats:questions", id};
}

store_command fleet_commands::answer(const std::string& id, const std::string& page) const {
  return {"SET", prefix_ + ":stats:answer:" + id, page, "EX", std::to_string(answer_life.count())};
}

store_command fleet_commands::read_answer(const std::string& id) const {
  return {"GET", prefix_ + ":stats:answer:" + id};
}

// Checks whether the store contains the rows of a usage bucket. EXPIRE returns 0 if a key does not exist. HDEL checks
// the type of the key, because it fails if the key is not a hash. It deletes nothing, because it names a field that
// never exists.
std::vector<store_command> fleet_commands::check_bucket(const shared_bucket& bucket, const bucket_part& part,
                                                        std::chrono::sys_seconds now) const {
  const std::chrono::hours kept = (bucket.width == 'h' ? hours_kept : days_kept) + std::chrono::hours(24);
  const std::string life = std::to_string(std::max<std::int64_t>((bucket.start + kept - now).count(), 3'600));
  store_command list = read_bucket(bucket);
  std::vector<store_command> all{{"EXPIRE", list[1], life}, std::move(list)};
  for (std::size_t each = 0; each < part.parts; ++each) {
    const std::string key = rows_name(bucket, part, each);
    all.push_back({"EXPIRE", key, life});
    all.push_back({"HDEL", key, "-"});
  }
  return all;
}

bool is_wrong_type(const store_reply& reply) {
  return reply.kind == reply_kind::error && reply.text.starts_with("WRONGTYPE");
}

bool is_intact(std::span<const store_reply> check, const bucket_part& part) {
  if (check.size() != 2 + 2 * part.parts) return false;
  for (std::size_t each = 0; each < check.size(); each += 2)
    if (check[each].number() != std::int64_t{1} || check[each + 1].kind == reply_kind::error) return false;
  const std::vector<bucket_part> parts = parts_in(check[1]);
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

std::vector<bucket_range> ranges_of(const std::set<shared_bucket>& buckets) {
  std::vector<bucket_range> all;
  for (const shared_bucket& each : buckets) {
    const std::int64_t number = number_of_bucket(each);
    const bool follows = !all.empty() && all.back().width == each.width && all.back().last + 1 == number;
    if (follows) all.back().last = number;
    else all.push_back({each.width, number, number});
  }
  return all;
}

bool has_bucket(const std::vector<bucket_range>& ranges, const shared_bucket& bucket) {
  const std::int64_t number = number_of_bucket(bucket);
  return std::any_of(ranges.begin(), ranges.end(), [&](const bucket_range& each) {
    return each.width == bucket.width && each.first <= number && number <= each.last;
  });
}

std::chrono::sys_seconds begin_in(const store_reply& reply) {
  return second_of(reply.number().value_or(0));
}

std::string named_page(std::string object, const std::string& gateway) {
  if (!object.ends_with('}')) return object;
  object.back() = ',';
  return object + R"("gateway":)" + text_of_json(fleet_json(gateway)) + '}';
}

std::vector<fleet_entry> entries_in(const store_reply& reply) {
  std::vector<fleet_entry> all;
  each_object(reply, [&](const std::string& run, const fleet_json& value) {
    if (!is_short_text(value, "name") || !is_short_text(value, "book")) return;
    const bool answers = value.contains("queries") && value["queries"] == true;
    if (all.size() < fleet_scope::most_members)
      all.push_back({run, value["name"], value["book"], sign_time_in(value), answers, heard_in(value),
                     time_in(value, "filled"), listed_in(value)});
  });
  return all;
}

std::vector<std::string> living_in(const store_reply& reply, std::chrono::sys_time<std::chrono::milliseconds> now) {
  std::vector<std::string> all;
  if (reply.kind != reply_kind::list) return all;
  for (std::size_t at = 0; at + 1 < reply.list.size() && all.size() < fleet_scope::most_members; at += 2) {
    const auto until = reply.list[at + 1].number();
    const std::string& run = reply.list[at].text;
    if (until && *until > now.time_since_epoch().count() && run.size() <= longest_text) all.push_back(run);
  }
  return all;
}

std::vector<bucket_part> parts_in(const store_reply& reply) {
  std::vector<bucket_part> all;
  each_object(reply, [&](const std::string& book, const fleet_json& value) {
    if (!is_short_text(value, "name") || !value.contains("parts") || !value["parts"].is_number_unsigned()) return;
    const auto parts = value["parts"].get<std::uint64_t>();
    const bool fits = parts >= 1 && parts <= fleet_commands::most_parts && all.size() < 10 * fleet_scope::most_members;
    if (fits) all.push_back({book, value["name"], static_cast<std::size_t>(parts)});
  });
  return all;
}

std::vector<fleet_question> questions_in(const store_reply& reply) {
  std::vector<fleet_question> all;
  each_object(reply, [&](const std::string& id, const fleet_json& value) {
    if (!is_short_text(value, "receipt") || !is_short_text(value, "caller")) return;
    const bool sees_all = value.contains("sees_all") && value["sees_all"] == true;
    all.push_back({id, value["receipt"], value["caller"], sees_all, sign_time_in(value)});
  });
  // Keeps only the newest questions. The gateways that asked the older questions may have stopped.
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.at > b.at; });
  all.resize(std::min(all.size(), fleet_commands::most_questions));
  return all;
}

}  // namespace photofinish::gateway
