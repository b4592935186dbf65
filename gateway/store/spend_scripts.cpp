#include "gateway/store/spend_scripts.hpp"

#include "proxy/words/parse_number.hpp"

#include <algorithm>
#include <array>

namespace photofinish::gateway {
namespace {

// KEYS contains the sum (the budget's total spending), the writer's last post, and the history of the sum. ARGV
// contains the amount, the post's number, the life of the keys in seconds, the sum that the gateway knows (sum, epoch,
// begun, by), the gateway's name, and the gateway's time in microseconds. Lua's numbers are inexact above 2^53, so sums
// remain texts. INCRBY can add them, and the functions split them into two parts to compare and subtract. `base` is the
// sum at the start of the history. If the store has lost the sum, the script restores the larger of `base` and the sum
// that the gateway knows. It then adds the amounts that were added since the history began. The result may be too high
// if the store has returned to older data, because the gateway's sum may already include some of these amounts. A
// history has one epoch, so a newer epoch begins a new history. The script also uses the gateway's time, because the
// clock of a new primary may be slow.
constexpr std::string_view add_spend_text = R"lua(
local function parts(text) return tonumber(string.sub(text, 1, -10)) or 0, tonumber(string.sub(text, -9)) end
local function less(a, b)
  local ah, al = parts(a)
  local bh, bl = parts(b)
  return ah < bh or (ah == bh and al < bl)
end
local function larger(a, b) if less(a, b) then return b end return a end
local function minus(a, b)
  local ah, al = parts(a)
  local bh, bl = parts(b)
  if al < bl then ah, al = ah - 1, al + 1000000000 end
  if ah == bh then return string.format('%.0f', al - bl) end
  return string.format('%.0f%09.0f', ah - bh, al - bl)
end
local amount, known, its_epoch, its_begun, its_by = ARGV[1], ARGV[4], ARGV[5], ARGV[6], ARGV[7]
local before = string.match(redis.call('GET', KEYS[1]) or '', '^%d+$')
local epoch, begun, by, base = string.match(redis.call('GET', KEYS[3]) or '', '^(%d+) (%d+) (%w+) (%d+)$')
local total, since, begins, base_before = before, '0', false, base
local function merged(own)
  if less(epoch, its_epoch) then return known end
  if epoch == its_epoch then return larger(own, known) end
  return own
end
if not base then
  if not total and known == '0' and its_begun == '0' and amount == '0' then return {'0', '', 0} end
  base, epoch, begun, begins = larger(total or '0', known), its_epoch, '0', true
elseif not total or less(total, base) then
  base, begins = merged(base), true
elseif begun == its_begun and by == its_by then
  if less(total, known) then base, begins = known, true else since = minus(total, base) end
elseif less(begun, its_begun) then
  base, begins = merged(total), true
else
  base, since, begins = merged(base), minus(total, base), less(epoch, its_epoch)
end
epoch = larger(epoch, its_epoch)
if begins then
  local time = redis.call('TIME')
  begun = math.max(time[1] * 1000000 + time[2], ARGV[9] + 0, tonumber(begun) + 1, tonumber(its_begun) + 1)
  begun, by = string.format('%.0f', begun), ARGV[8]
end
local history = epoch .. ' ' .. begun .. ' ' .. by
local restored = false
if begins or base ~= base_before then
  redis.call('SET', KEYS[1], base)
  if since ~= '0' then redis.call('INCRBY', KEYS[1], since) end
  redis.call('SET', KEYS[3], history .. ' ' .. base)
  restored = less(before or '0', redis.call('GET', KEYS[1]))
end
if amount ~= '0' then
  local last = redis.call('GET', KEYS[2])
  if not last or tonumber(last) < tonumber(ARGV[2]) then
    redis.call('INCRBY', KEYS[1], amount)
    redis.call('SET', KEYS[2], ARGV[2], 'EX', 86400)
  end
end
redis.call('EXPIRE', KEYS[1], ARGV[3])
redis.call('EXPIRE', KEYS[3], ARGV[3])
return {redis.call('GET', KEYS[1]), history, restored and 1 or 0}
)lua";

// KEYS contains the sum (the budget's total spending) and its history. ARGV contains the life of the keys in seconds,
// the caller's time in microseconds, and the caller's name. The script also uses the caller's time, because the clock
// of a new primary may be slow.
constexpr std::string_view reopen_text = R"lua(
local before = redis.call('GET', KEYS[1]) or '0'
local epoch, begun = string.match(redis.call('GET', KEYS[2]) or '', '^(%d+) (%d+) ')
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
epoch = math.max(now, ARGV[2] + 0, (tonumber(epoch) or 0) + 1)
begun = math.max(now, (tonumber(begun) or 0) + 1)
redis.call('SET', KEYS[1], '0', 'EX', ARGV[1])
redis.call('SET', KEYS[2], string.format('%.0f %.0f %s 0', epoch, begun, ARGV[3]), 'EX', ARGV[1])
return before
)lua";

constexpr std::size_t longest_writer = 64;

std::optional<std::int64_t> number_in(std::string_view text) {
  const auto number = proxy::parse_number<std::int64_t>(text);
  return number && *number >= 0 ? number : std::nullopt;
}

// Reads the history of a budget's total spending. It consists of three words: an epoch number, the time when the
// history began, and the gateway that began it. Ignores any text after the third word.
std::optional<spend_history> read_history(std::string_view text) {
  std::array<std::string_view, 3> words;
  for (std::string_view& each : words) {
    each = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), each.size() + 1));
  }
  // The largest valid time in the history of a budget's total spending. Lua cannot represent larger numbers exactly.
  constexpr std::int64_t latest = std::int64_t{1} << 53;
  const auto epoch = number_in(words[0]), begun = number_in(words[1]);
  if (!epoch || !begun || *epoch > latest || *begun > latest) return std::nullopt;
  if (words[2].empty() || words[2].size() > longest_writer) return std::nullopt;
  return spend_history{*epoch, *begun, std::string(words[2])};
}

}  // namespace

std::optional<spend_reply> spend_reply_in(const store_reply& reply) {
  if (reply.kind != reply_kind::list || reply.list.size() != 3) return std::nullopt;
  const auto sum = reply.list[0].number(), restored = reply.list[2].number();
  if (!sum || !restored || reply.list[1].kind != reply_kind::text) return std::nullopt;
  const auto history = reply.list[1].text.empty() ? spend_history() : read_history(reply.list[1].text);
  if (!history) return std::nullopt;
  return spend_reply{{*sum, *history}, *restored == 1};
}

std::optional<spend_history> history_in(const store_reply& reply) {
  if (reply.kind == reply_kind::nil) return spend_history();
  return reply.kind == reply_kind::text ? read_history(reply.text) : std::nullopt;
}

std::string_view add_spend_script() { return add_spend_text; }
std::string_view reopen_script() { return reopen_text; }

std::string spend_keys::sum(std::string_view account, std::string_view window) const {
  return prefix_ + ":spend:" + std::string(window) + ":" + std::string(account);
}

// Returns the key that stores the history of a budget's total spending. Keys of this form usually contain the last post
// of a writer. This key has the word `history` in place of the writer's name. No writer has this name, because the
// names of writers are hex digits. The store's user has write access to keys with this prefix.
std::string spend_keys::history(std::string_view account, std::string_view window) const {
  return prefix_ + ":post:history:" + std::string(window) + ":" + std::string(account);
}

std::string spend_keys::last_post(std::string_view writer, std::string_view account, std::string_view window) const {
  return prefix_ + ":post:" + std::string(writer) + ":" + std::string(window) + ":" + std::string(account);
}

std::string spend_keys::pattern(std::string_view account) const {
  std::string escaped;
  for (const char each : sum(account, "*")) {
    const bool is_own_star = each == '*' && escaped.size() == prefix_.size() + std::string_view(":spend:").size();
    if (!is_own_star && std::string_view("*?[]\\").find(each) != std::string_view::npos) escaped += '\\';
    escaped += each;
  }
  return escaped;
}

std::optional<std::string> spend_keys::window_in(std::string_view key, std::string_view account) const {
  const std::string begin = prefix_ + ":spend:", end = ":" + std::string(account);
  if (key.size() <= begin.size() + end.size() || !key.starts_with(begin) || !key.ends_with(end)) return std::nullopt;
  std::string window(key.substr(begin.size(), key.size() - begin.size() - end.size()));
  // The name of a budget window contains no colon, for example "1mo.1767225600". A colon means that the key belongs to
  // an account with a longer name, which ends with this account's name.
  if (window.find(':') != std::string::npos) return std::nullopt;
  return window;
}

}  // namespace photofinish::gateway
