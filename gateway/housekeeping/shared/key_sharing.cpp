#include "gateway/housekeeping/shared/key_sharing.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

// Microseconds that are read again: after a failover the revisions are by another machine's clock.
constexpr std::int64_t overlap = 60'000'000;

}  // namespace

void key_sharing::watch(publish on_change) {
  on_change_ = std::move(on_change);
  if (shown_ && on_change_) on_change_(shown_);
}

void key_sharing::use(const store_settings& settings) {
  ++store_;
  is_wanted_ = settings.has_access_keys && !settings.url.empty();
  commands_ = stored_key_commands(settings.prefix);
  held_.clear();
  newest_ = 0;
  is_whole_ = is_full_ = has_changed_ = false;
  if (!is_wanted_) shown_.reset();
}

asio::awaitable<void> key_sharing::share(std::shared_ptr<store_client> client) {
  if (!is_wanted_) co_return;
  const std::uint64_t store = store_;
  std::int64_t after = std::max<std::int64_t>(newest_ - overlap, -1);
  progress how = progress::more;
  // Bounded, whatever a store says: what is left comes with the next tick.
  for (std::size_t page = 0; how == progress::more && page <= most_keys / stored_key_commands::most_in_a_page; ++page)
    how = co_await read_page(client, after);
  if (store != store_) co_return;
  if (how == progress::failed) {
    if (!shown_) show(stored_keys_state::away);
    co_return;
  }
  if (std::exchange(is_whole_, true) && !has_changed_) co_return;
  has_changed_ = false;
  show(stored_keys_state::known);
}

asio::awaitable<key_sharing::progress> key_sharing::read_page(std::shared_ptr<store_client> client,
                                                              std::int64_t& after) {
  const std::uint64_t store = store_;
  const store_client::commands make = [this, &after](const script_names&) {
    return std::vector<store_command>{commands_.changes_after(after)};
  };
  const auto said = co_await client->call(make);
  if (!said || store != store_) co_return progress::failed;
  const auto changes = changes_in(said->front());
  if (!changes) co_return progress::failed;
  const bool is_read = co_await read_entries(std::move(client), new_among(changes->all));
  if (!is_read || store != store_) co_return progress::failed;
  if (!changes->all.empty()) newest_ = std::max(newest_, changes->all.back().revision);
  if (!changes->is_full || changes->all.empty()) co_return progress::done;
  after = changes->all.back().revision;
  co_return progress::more;
}

asio::awaitable<bool> key_sharing::read_entries(std::shared_ptr<store_client> client, std::vector<key_revision> which) {
  if (which.empty()) co_return true;
  const std::uint64_t store = store_;
  const store_client::commands make = [this, &which](const script_names&) {
    std::vector<store_command> all;
    for (const key_revision& each : which) all.push_back(commands_.read_entry(each.id));
    return all;
  };
  const auto said = co_await client->call(make);
  if (!said || store != store_) co_return false;
  for (std::size_t each = 0; each < which.size(); ++each) take(which[each], (*said)[each]);
  co_return true;
}

std::vector<key_revision> key_sharing::new_among(std::vector<key_revision> changes) {
  std::size_t room = most_keys - std::min(most_keys, held_.size());
  const auto is_old = [&](const key_revision& each) {
    const auto found = held_.find(each.id);
    if (found != held_.end()) return found->second.revision == each.revision;
    if (room > 0) return --room, false;
    if (!std::exchange(is_full_, true))
      spdlog::error("the store has more than {} access keys: those that were made last are not taken", most_keys);
    return true;
  };
  std::erase_if(changes, is_old);
  return changes;
}

// An entry that cannot be read now keeps its place as it is, and is asked for again.
void key_sharing::take(const key_revision& which, const store_reply& entry) {
  if (entry.kind != reply_kind::text) return;
  held& its = held_[which.id];
  const bool is_too_long = entry.text.size() > stored_key_commands::longest_entry;
  stored_key key{which.id, is_too_long ? std::string() : entry.text,
                 is_too_long ? "has more than " + std::to_string(stored_key_commands::longest_entry) + " bytes" : ""};
  its.revision = which.revision;
  if (its.key && *its.key == key) return;
  its.key = std::make_shared<const stored_key>(std::move(key));
  has_changed_ = true;
}

// One without an entry was taken out of the store.
void key_sharing::show(stored_keys_state state) {
  auto now = std::make_shared<stored_keys>();
  now->state = state;
  for (const auto& [id, its] : held_)
    if (!its.key->entry.empty() || !its.key->problem.empty()) now->all.push_back(its.key);
  shown_ = std::move(now);
  if (on_change_) on_change_(shown_);
}

}  // namespace photofinish::gateway
