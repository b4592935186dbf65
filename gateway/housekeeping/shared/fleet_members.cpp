#include "gateway/housekeeping/shared/fleet_members.hpp"

#include "proxy/failures/sanitized_text.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace photofinish::gateway {

namespace {
constexpr std::size_t most_names = 1'000;  // the maximum number of gateway names that are remembered
}  // namespace

void fleet_members::use(std::shared_ptr<const store_client> client) {
  client_ = std::move(client);
  has_met_ = false;
  last_met_.reset();
  members_.clear();
  entries_.clear();
  lost_entries_.clear();
  peers_.clear();
  names_.clear();
}

bool fleet_members::rename(std::string name) {
  if (name_ == name) return false;
  name_ = std::move(name);
  return true;
}

void fleet_members::end_round(bool is_whole, wall_seconds now) {
  has_met_ = is_whole;
  if (has_met_) last_met_ = now;
}

// If the store was emptied, the entries of running gateways are missing until these gateways write them again, a few
// seconds later. Until then, this function keeps the old entries.
void fleet_members::keep_entries(std::vector<fleet_entry> entries, bool was_emptied, wall_seconds now) {
  if (was_emptied) lost_entries_ = std::move(entries_);
  std::erase_if(lost_entries_, [&](const fleet_entry& lost) {
    const auto is_it = [&](const fleet_entry& each) { return each.run == lost.run; };
    return now - lost.at > fleet_commands::removed_after || std::any_of(entries.begin(), entries.end(), is_it);
  });
  entries.insert(entries.end(), lost_entries_.begin(), lost_entries_.end());
  entries_ = std::move(entries);
}

// Adds a gateway that has stopped reporting to the store, because it hangs or was killed. It stays in the list for
// several minutes. If another process uses the same gateway name, it is removed earlier.
void fleet_members::list_silent(const fleet_entry& entry) {
  if (!has(entry.name)) members_.push_back({entry.name, false, false});
}

// Gateways of older versions have no entry. For such a gateway, the name of its process is used as its name, and it
// cannot answer queries.
std::vector<fleet_asking::peer> fleet_members::take(std::vector<fleet_entry> entries,
                                                    const std::vector<std::string>& living, bool was_emptied,
                                                    wall_seconds now) {
  keep_entries(std::move(entries), was_emptied, now);
  members_.clear();
  peers_.clear();
  gone_.clear();
  std::set<std::string> known;
  std::vector<fleet_asking::peer> peers;
  for (const fleet_entry& each : entries_) {
    const bool is_fresh = now - each.at < fleet_commands::silent_after;
    const bool is_running = each.run == run_ || is_fresh || std::count(living.begin(), living.end(), each.run) > 0;
    known.insert(each.run);
    if (names_.size() < most_names) names_.insert(each.name);
    if (!is_running && now - each.at > fleet_commands::removed_after) gone_.push_back(each.run);
    if (is_running && each.run != run_) peers_[each.run] = each.heard.has_value();
    if (is_running) members_.push_back({each.name, true, true});
    if (is_running && each.answers_queries) peers.push_back({each.run, each.name});
  }
  for (const std::string& run : living) {
    if (known.contains(run)) continue;
    if (names_.size() < most_names) names_.insert(run);
    if (members_.size() < fleet_scope::most_members) members_.push_back({run, true, false});
  }
  for (const fleet_entry& each : entries_)
    if (each.run != run_ && !peers_.contains(each.run)) list_silent(each);
  std::sort(members_.begin(), members_.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return peers;
}

void fleet_members::watch_names(wall_seconds now) {
  std::vector<fleet_entry> running = entries_;
  std::erase_if(running, [this](const fleet_entry& each) { return each.run != run_ && !peers_.contains(each.run); });
  for (const auto& [name, runs] : watched_names_.note(running, now))
    spdlog::warn("several gateways on the store have the name {} (runs {} and {}): give each gateway its own "
                 "`instance`",
                 proxy::shown_text(name), proxy::shown_text(runs[0]), proxy::shown_text(runs[1]));
}

void fleet_members::add_name_note(fleet_scope& scope, const std::string& only) const {
  const std::string note = watched_names_.note_for(only);
  if (!note.empty()) scope.note += (scope.note.empty() ? "" : "; ") + note;
}

std::string fleet_members::why_alone() const {
  if (!client_) return "this gateway alone: no redis is configured";
  const std::string trouble = client_->trouble().substr(0, client_->trouble().find(':'));
  if (trouble.empty()) return "this gateway alone: the store has not been read yet";
  return "this gateway alone: the store cannot be used (" + trouble + ")";
}

fleet_scope fleet_members::own_scope() const {
  fleet_scope scope{.gateway = name_, .members = {}};
  if (is_shared()) scope.members = members_;
  else scope.note = why_alone();
  if (client_ && !is_shared()) scope.alone_since = last_met_;
  for (fleet_member& each : scope.members) each.is_counted = each.name == name_;
  if (scope.members.empty()) scope.members.push_back({name_, true, true});
  return scope;
}

fleet_scope fleet_members::scope() const {
  if (!is_shared()) return own_scope();
  fleet_scope all;
  all.members = members_;
  // Includes all gateways. Even gateways of older versions share the measured speeds of their targets.
  for (fleet_member& each : all.members) each.is_counted = true;
  return all;
}

bool fleet_members::has(const std::string& gateway) const {
  const auto is_it = [&](const fleet_member& each) { return each.name == gateway; };
  return std::any_of(members_.begin(), members_.end(), is_it);
}

bool fleet_members::knows(const std::string& gateway) const {
  return gateway == name_ || names_.contains(gateway) || (client_ && !is_shared());
}

bool fleet_members::can_ask(const std::string& gateway) const {
  const auto is_it = [&](const fleet_entry& each) {
    return each.name == gateway && each.answers_queries && peers_.contains(each.run);
  };
  return gateway == name_ || (is_shared() && std::any_of(entries_.begin(), entries_.end(), is_it));
}

void fleet_members::cover(fleet_answers& answers, const std::string& only) const {
  answers.scope = fleet_scope{.gateway = only, .members = members_};
  const auto has_answered = [&](const std::string& name) {
    const auto is_its = [&](const auto& page) { return page.first == name; };
    return std::any_of(answers.pages.begin(), answers.pages.end(), is_its);
  };
  bool is_whole = true;
  for (fleet_member& each : answers.scope.members) {
    each.is_counted = (only.empty() && each.name == name_) || has_answered(each.name);
    is_whole &= each.is_counted;
  }
  const auto is_silent = [](const fleet_member& each) { return !each.is_running; };
  const bool has_silent = std::any_of(members_.begin(), members_.end(), is_silent);
  if (only.empty() && !is_whole)
    answers.scope.note = has_silent ? "a gateway sends no heartbeat or has not answered: its figures are missing"
                                    : "a gateway has not answered, or runs an older version: its figures are missing";
  add_name_note(answers.scope, only);
  if (only.empty() || !answers.pages.empty()) return;
  answers.scope.is_unknown = !knows(only);
  answers.scope.is_unread = !answers.scope.is_unknown;
  answers.scope.note = can_ask(only) ? "no answer in time" : "the gateway sends no heartbeat, or runs an older version";
}

}  // namespace photofinish::gateway
