#include "gateway/housekeeping/shared/key_sharing.hpp"

#include "gateway/config/yaml/yaml_tree.hpp"
#include "gateway/store/redis_url.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

using std::chrono::microseconds;

// When a key changes, the store's current time becomes its revision. The changes of the last minute are read again,
// because the store may use another clock after a failover.
constexpr microseconds overlap = std::chrono::minutes(1);
// The maximum time by which a key's revision may be ahead of this machine's clock. Revisions are points in time.
constexpr microseconds most_ahead = std::chrono::hours(24);
constexpr std::uint64_t ticks_a_whole_walk = 60;
// The maximum number of times that a pass over the keys may start again. Without this limit, frequent changes could
// keep a pass from ending.
constexpr int most_restarts = 5;
// The maximum number of pages per tick. A page has 500 keys, and reading this many pages takes a few tenths of a
// second.
constexpr std::size_t most_pages = 110;

std::int64_t latest_revision() {
  return std::chrono::duration_cast<microseconds>(
             (std::chrono::system_clock::now() + most_ahead).time_since_epoch()).count();
}

// True if the key gives no access: it was removed, cannot be read, or is blocked.
bool is_shut(const stored_key& key) {
  if (key.entry.empty()) return true;
  if (key.entry.find("blocked") == std::string::npos) return false;
  const yaml_result read = parse_yaml(key.entry);
  const auto blocks = [](const yaml_member& each) { return each.key == "blocked" && each.value.text == "true"; };
  return std::any_of(read.root.members.begin(), read.root.members.end(), blocks);
}

// True if both settings refer to the same access keys, even if the password or the time limit differs.
bool is_same_store(const store_settings& one, const store_settings& other) {
  if (one.prefix != other.prefix || one.sentinel.has_value() != other.sentinel.has_value()) return false;
  if (one.url.empty() || other.url.empty()) return one.url.empty() == other.url.empty();
  const auto is = *parse_redis_url(one.url.reveal()).place, was = *parse_redis_url(other.url.reveal()).place;
  if (is.database != was.database) return false;
  if (one.sentinel) return one.sentinel->master == other.sentinel->master;
  return is.host == was.host && is.port == was.port;
}

}  // namespace

key_sharing::key_sharing(asio::io_context& loop, std::chrono::milliseconds tick, metrics::store_facts& facts)
    : tick_(tick), shown_facts_(facts),
      readings_(loop, {.is_wanted = [this] { return client_ != nullptr; },
                       .round = [this] { return read(); },
                       .ended = {},
                       .failure = "the store's access keys were not read"}) {}

void key_sharing::watch(publish on_change) {
  on_change_ = std::move(on_change);
  if (shown_ && on_change_) on_change_(shown_);
}

void key_sharing::use(store_network* net, const store_settings& settings) {
  if (client_) client_->cancel();
  client_.reset();
  const bool is_on = net != nullptr && settings.has_access_keys;
  if (!is_on || !is_same_store(settings, settings_)) {
    held_.clear();
    newest_ = 0;
    has_been_read_ = false;
  }
  settings_ = settings;
  commands_ = stored_key_commands(settings.prefix);
  walk_ = {};
  ticks_ = 0;
  is_full_ = has_lost_some_ = false;
  if (!is_on) {
    shown_.reset();
    shown_facts_.access_keys = 0;
    return;
  }
  client_ = std::make_shared<store_client>(*net, settings, facts_,
                                           "the gateway uses the access keys that it read last");
  readings_.wake();
}

asio::awaitable<void> key_sharing::stop() {
  if (client_) client_->cancel();
  co_await readings_.stop();
}

asio::awaitable<proxy::instant> key_sharing::read() {
  co_await walk_on();
  move_errors(facts_, shown_facts_);
  co_return std::chrono::steady_clock::now() + tick_;
}

asio::awaitable<void> key_sharing::walk_on() {
  const std::shared_ptr<store_client> client = client_;
  if (!walk_.is_running) begin_walk();
  bool is_read = true;
  for (std::size_t page = 0; is_read && walk_.is_running && page < most_pages; ++page) {
    const bool is_page_read = co_await read_page();
    if (client != client_) co_return;
    is_read = is_page_read;
  }
  // Applies changed keys immediately, even if not all pages of keys have been read yet.
  if (has_been_read_ && std::exchange(has_changed_, false)) show(stored_keys_state::known);
  else if (!is_read && !shown_) show(stored_keys_state::away);
}

void key_sharing::begin_walk() {
  const bool is_due = ticks_++ % ticks_a_whole_walk == 0;
  walk_ = {.is_whole = is_due || !has_been_read_ || std::exchange(has_lost_some_, false), .is_running = true};
  if (!walk_.is_whole) walk_.from = std::max<std::int64_t>(newest_ - overlap.count(), 0);
  ++walks_;
}

// Restarts the current pass over the access keys in the store. Returns false if the pass has already restarted too
// often.
bool key_sharing::restart_walk() {
  if (walk_.restarts == most_restarts) return false;
  walk_ = {.from = walk_.from, .restarts = walk_.restarts + 1, .is_whole = walk_.is_whole, .is_running = true};
  ++walks_;
  return true;
}

// Reads a page of access keys from the store. Each page begins with the last key of the previous page. If this key has
// moved, an earlier key was changed or removed in the meantime, and the next pages would miss a key. In this case the
// pass over all keys starts again. Returns false if the page could not be read; the caller then requests the page
// again.
asio::awaitable<bool> key_sharing::read_page() {
  const std::shared_ptr<store_client> client = client_;
  const std::size_t shared = walk_.offset > 0 ? 1 : 0;
  std::vector<store_command> commands{commands_.count(), commands_.page(walk_.from, walk_.offset - shared)};
  const auto said = co_await client->call(std::move(commands));
  if (!said || client != client_) co_return false;
  const auto changes = changes_in(said->back(), latest_revision());
  const auto count = said->front().number();
  if (!changes || !count) co_return false;
  if (shared > 0 && changes->first != walk_.last && restart_walk()) co_return true;
  const bool is_read = co_await read_entries(new_among(changes->all));
  if (!is_read || client != client_) co_return false;
  in_store_ = static_cast<std::size_t>(std::max<std::int64_t>(*count, 0));
  for (const key_revision& each : changes->all) newest_ = std::max(newest_, each.revision);
  if (changes->members == 0) co_return end_walk(), true;
  walk_.offset += changes->members - shared;
  walk_.last = changes->last;
  const bool is_first_one = !changes->all.empty() && changes->all.front().id == changes->first;
  walk_.left_out += changes->members - changes->all.size() - (shared > 0 && !is_first_one ? 1 : 0);
  if (changes->members < stored_key_commands::most_in_a_page) end_walk();
  co_return true;
}

asio::awaitable<bool> key_sharing::read_entries(std::vector<key_revision> which) {
  if (which.empty()) co_return true;
  const std::shared_ptr<store_client> client = client_;
  std::vector<store_command> commands;
  for (const key_revision& each : which) commands.push_back(commands_.read_entry(each.id));
  const auto said = co_await client->call(std::move(commands));
  if (!said || client != client_) co_return false;
  for (std::size_t each = 0; each < which.size(); ++each) take(which[each], (*said)[each]);
  co_return true;
}

std::vector<key_revision> key_sharing::new_among(std::vector<key_revision> changes) {
  std::size_t room = most_keys - std::min(most_keys, held_.size());
  const auto is_old = [&](const key_revision& each) {
    const auto found = held_.find(each.id);
    if (found != held_.end()) {
      found->second.seen_in = walks_;
      return found->second.revision == each.revision;
    }
    if (room > 0) return --room, false;
    if (!std::exchange(is_full_, true))
      spdlog::error("the store has more than {} access keys: the other keys are not used", most_keys);
    return true;
  };
  std::erase_if(changes, is_old);
  return changes;
}

// If an entry cannot be read at the moment, the key keeps its current value, and the entry is requested again later.
void key_sharing::take(const key_revision& which, const store_reply& entry) {
  if (entry.kind != reply_kind::text) return;
  held& its = held_[which.id];
  its.seen_in = walks_;
  const bool is_too_long = entry.text.size() > stored_key_commands::longest_entry;
  stored_key key{which.id, is_too_long ? std::string() : entry.text,
                 is_too_long ? "has more than " + std::to_string(stored_key_commands::longest_entry) + " bytes" : ""};
  // If the store returns an older revision of a key, it has lost the latest change. An older revision must not make a
  // blocked or removed key valid again.
  if (which.revision < its.revision && !is_shut(key)) return;
  its.revision = which.revision;
  if (its.key && *its.key == key) return;
  its.key = std::make_shared<const stored_key>(std::move(key));
  has_changed_ = true;
}

void key_sharing::end_walk() {
  walk_.is_running = false;
  if (walk_.is_whole) {
    has_changed_ |= !std::exchange(has_been_read_, true);
    for (auto& [id, its] : held_) {
      const bool is_gone = its.seen_in != walks_;
      has_changed_ |= is_gone != its.is_forgotten;
      its.is_forgotten = is_gone;
    }
    if (walk_.left_out > 0 && walk_.left_out != left_out_)
      spdlog::error("{}:keys has {} members that are not key ids, or whose score is not a time in microseconds: the "
                    "gateway ignores these members", settings_.prefix, walk_.left_out);
    left_out_ = walk_.left_out;
  }
  const auto is_there = [](const auto& each) { return !each.second.is_forgotten; };
  has_lost_some_ = in_store_ < static_cast<std::size_t>(std::count_if(held_.begin(), held_.end(), is_there));
}

// Publishes all access keys that have not been removed. If two keys have the same name, the first key in the list is
// used, so the keys that the store still contains come first.
void key_sharing::show(stored_keys_state state) {
  auto now = std::make_shared<stored_keys>();
  now->state = state;
  for (const bool is_forgotten : {false, true})
    for (const auto& [id, its] : held_) {
      const bool is_entry = !its.key->entry.empty() || !its.key->problem.empty();
      if (its.is_forgotten == is_forgotten && is_entry) now->all.push_back(its.key);
    }
  shown_facts_.access_keys = now->all.size();
  shown_ = std::move(now);
  if (on_change_) on_change_(shown_);
}

}  // namespace photofinish::gateway
