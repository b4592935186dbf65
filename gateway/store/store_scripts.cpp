#include "gateway/store/store_scripts.hpp"

#include "gateway/store/limit_script_texts.hpp"

#include <algorithm>

namespace photofinish::gateway {
namespace {

using std::chrono::milliseconds;

constexpr std::chrono::minutes longest_cooling{10};  // the maximum cooldown; the same as in racing::cooldowns
constexpr std::size_t most_cooling = 1000;
constexpr std::chrono::seconds egress_sign_life{5};
constexpr std::size_t longest_target = 512;
// The time for which the store keeps a budget's total spending after the budget window has ended. Gateways that were
// disconnected can then still add their spending.
constexpr std::chrono::hours kept_behind_window{24};

constexpr std::string_view live_text = R"lua(
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[1], ARGV[1], now + ARGV[2])
redis.call('EXPIRE', KEYS[1], 3600)
local all = redis.call('HGETALL', KEYS[1])
local living = 0
for at = 1, #all, 2 do
  if (tonumber(all[at + 1]) or 0) > now then living = living + 1 else redis.call('HDEL', KEYS[1], all[at]) end
end
return living
)lua";

constexpr std::string_view cool_text = R"lua(
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ends, count, answer = {}, 0, {}
local all = redis.call('HGETALL', KEYS[1])
for at = 1, #all, 2 do
  local till = tonumber(all[at + 1]) or 0
  if till > now then ends[all[at]] = till; count = count + 1 else redis.call('HDEL', KEYS[1], all[at]) end
end
for at = 1, #ARGV, 2 do
  local till = now + ARGV[at + 1]
  if till > (ends[ARGV[at]] or 0) and (ends[ARGV[at]] or count < 1000) then
    if not ends[ARGV[at]] then count = count + 1 end
    ends[ARGV[at]] = till
    redis.call('HSET', KEYS[1], ARGV[at], till)
  end
end
if #ARGV > 0 then redis.call('EXPIRE', KEYS[1], 3600) end
for target, till in pairs(ends) do
  answer[#answer + 1] = target
  answer[#answer + 1] = till - now
end
return answer
)lua";

const std::string& name_of(const script_names& scripts, store_script which) {
  return scripts[static_cast<std::size_t>(which)];
}

}  // namespace

std::string_view text_of(store_script script) {
  switch (script) {
    case store_script::add_spend: return add_spend_script();
    case store_script::live: return live_text;
    case store_script::cool: return cool_text;
    case store_script::lease: return lease_script();
    case store_script::permit: return permit_script();
  }
  return {};
}

store_command store_names::add_spend(const script_names& scripts, const spend_post& post, const spend_sum& known,
                                     std::string_view by, std::chrono::sys_seconds now) const {
  const auto left = std::max(post.window_ends - now, std::chrono::seconds(0)) + kept_behind_window;
  return {"EVALSHA",
          name_of(scripts, store_script::add_spend),
          "3",
          spends_.sum(post.account, post.window),
          spends_.last_post(post.writer, post.account, post.window),
          spends_.history(post.account, post.window),
          std::to_string(post.nano_usd),
          std::to_string(post.number),
          std::to_string(std::chrono::duration_cast<std::chrono::seconds>(left).count()),
          std::to_string(known.nano_usd),
          std::to_string(known.history.epoch),
          std::to_string(known.history.begun),
          known.history.by,
          std::string(by),
          std::to_string(std::chrono::microseconds(now.time_since_epoch()).count())};
}

std::array<store_command, 2> store_names::read_spend(std::string_view account, std::string_view window) const {
  return {store_command{"GET", spends_.sum(account, window)}, store_command{"GET", spends_.history(account, window)}};
}

store_command store_names::live(const script_names& scripts, const std::string& gateway) const {
  constexpr std::string_view lease_ms = "5000";
  return {"EVALSHA", name_of(scripts, store_script::live), "1", prefix_ + ":live", gateway, std::string(lease_ms)};
}

store_command store_names::leave(const std::string& gateway) const { return {"HDEL", prefix_ + ":live", gateway}; }

store_command store_names::cool(const script_names& scripts, const cooling& noted) const {
  store_command made{"EVALSHA", name_of(scripts, store_script::cool), "1", prefix_ + ":cool"};
  for (const auto& [target, length] : noted) {
    if (target.size() > longest_target) continue;
    made.push_back(target);
    made.push_back(std::to_string(std::clamp<milliseconds>(length, milliseconds(0), longest_cooling).count()));
  }
  return made;
}

std::vector<store_command> store_names::write_speeds(std::int64_t quarter, const std::string& gateway,
                                                     const std::string& bytes, std::chrono::seconds life) const {
  const std::string key = prefix_ + ":stats:" + std::to_string(quarter);
  return {{"HSET", key, gateway, bytes}, {"EXPIRE", key, std::to_string(life.count())}};
}

std::vector<store_command> store_names::share_egress(const std::string& asking, const std::string& answer) const {
  const std::string asked_key = prefix_ + ":stats:egress:asked", answer_key = prefix_ + ":stats:egress:answer";
  const std::string life = std::to_string(milliseconds(egress_sign_life).count());
  std::vector<store_command> all{{"GET", asked_key}, {"GET", answer_key}};
  if (!asking.empty()) all.push_back({"SET", asked_key, asking, "PX", life});
  if (!answer.empty()) all.push_back({"SET", answer_key, answer, "PX", life});
  return all;
}

store_command store_names::read_speeds(std::int64_t quarter) const {
  return {"HGETALL", prefix_ + ":stats:" + std::to_string(quarter)};
}

std::optional<store_names::cooling> cooling_in(const store_reply& reply) {
  if (reply.kind != reply_kind::list || reply.list.size() % 2 != 0) return std::nullopt;
  store_names::cooling found;
  for (std::size_t at = 0; at + 1 < reply.list.size() && found.size() < most_cooling; at += 2) {
    const auto length = reply.list[at + 1].number();
    if (reply.list[at].kind != reply_kind::text || !length) return std::nullopt;
    if (*length <= 0 || reply.list[at].text.size() > longest_target) continue;
    found.emplace_back(reply.list[at].text, std::min<std::int64_t>(*length, milliseconds(longest_cooling).count()));
  }
  return found;
}

}  // namespace photofinish::gateway
