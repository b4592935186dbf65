#include "gateway/housekeeping/shared/fleet_asking.hpp"

#include <algorithm>

namespace photofinish::gateway {
namespace {

std::size_t bytes_of_pages(const std::map<std::string, std::string>& pages) {
  std::size_t bytes = 0;
  for (const auto& [run, page] : pages) bytes += page.size();
  return bytes;
}

}  // namespace

void fleet_asking::use(std::string prefix) {
  commands_ = fleet_query_commands(std::move(prefix));
  peers_.clear();
  ended_.clear();
  heard_.clear();
  answered_.clear();
  figures_.clear();
  asked_answers_.clear();
  asked_figures_.clear();
  is_watched_ = false;
  for (open_query& each : open_) each.missing.clear();
}

void fleet_asking::know(std::vector<peer> peers) {
  std::erase_if(peers, [this](const peer& each) { return each.run == run_; });
  peers_ = std::move(peers);
  const auto is_gone = [this](const std::string& run) {
    return std::none_of(peers_.begin(), peers_.end(), [&](const peer& each) { return each.run == run; });
  };
  std::erase_if(figures_, [&](const auto& each) { return is_gone(each.first); });
  for (open_query& each : open_) std::erase_if(each.missing, [&](const peer& who) { return is_gone(who.run); });
}

std::vector<store_command> fleet_asking::reads() {
  std::vector<store_command> all{commands_.read_queries(), commands_.read_watch()};
  asked_answers_.clear();
  asked_figures_.clear();
  for (const open_query& each : open_) {
    if (!each.is_sent) continue;
    for (const peer& who : each.missing) {
      asked_answers_.emplace_back(each.query.id, who.run);
      all.push_back(commands_.read_answer(each.query.id, who.run));
    }
  }
  if (!is_watching_) return all;
  for (const peer& each : peers_) {
    asked_figures_.push_back(each.run);
    all.push_back(commands_.read_figures(each.run));
  }
  return all;
}

// Bytes from the store are untrusted. If an answer is too long, it is dropped.
void fleet_asking::take_answer(const std::string& id, const std::string& run, const store_reply& reply) {
  if (reply.kind != reply_kind::text || reply.text.size() > fleet_query_commands::longest_answer) return;
  for (open_query& each : open_) {
    if (each.query.id != id) continue;
    if (bytes_of_pages(each.pages) + reply.text.size() <= most_bytes) each.pages[run] = reply.text;
    std::erase_if(each.missing, [&](const peer& who) { return who.run == run; });
  }
}

void fleet_asking::take(std::span<const store_reply> replies) {
  if (replies.size() != 2 + asked_answers_.size() + asked_figures_.size()) return;
  heard_ = queries_in(replies[0]);
  is_watched_ = replies[1].kind == reply_kind::text;
  std::size_t place = 2;
  for (const auto& [id, run] : std::exchange(asked_answers_, {})) take_answer(id, run, replies[place++]);
  if (!is_watching_) figures_.clear();
  for (const std::string& run : std::exchange(asked_figures_, {})) {
    const store_reply& reply = replies[place++];
    const bool fits = reply.kind == reply_kind::text && reply.text.size() <= fleet_query_commands::longest_figures;
    if (fits) figures_[run] = reply.text;
    else figures_.erase(run);
  }
}

// A query stays in the store until the asking gateway removes it, so that several gateways can answer it. If a query is
// very old, any gateway may remove it.
std::vector<store_command> fleet_asking::writes(wall_seconds now, const answer_maker& make) {
  std::vector<store_command> all;
  std::set<std::string> known;
  std::size_t answers = 0;
  for (const fleet_query& each : std::exchange(heard_, {})) {
    known.insert(each.id);
    const bool is_own = each.id.starts_with(run_ + ".");
    if (now - each.at > fleet_query_commands::query_life) all.push_back(commands_.remove_query(each.id));
    else if (!is_own && !answered_.contains(each.id) && answers < most_answered) {
      ++answers;
      answered_.insert(each.id);
      const std::string page = make(each);
      if (!page.empty() && page.size() <= fleet_query_commands::longest_answer)
        all.push_back(commands_.answer(each.id, run_, page));
    }
  }
  std::erase_if(answered_, [&](const std::string& id) { return !known.contains(id); });
  for (const std::string& id : std::exchange(ended_, {})) all.push_back(commands_.remove_query(id));
  for (open_query& each : open_)
    if (!std::exchange(each.is_sent, true)) all.push_back(commands_.ask(each.query));
  if (is_watching_) all.push_back(commands_.watch());
  if (is_watched_ && std::exchange(has_new_figures_, false))
    all.push_back(commands_.write_figures(run_, own_figures_));
  return all;
}

bool fleet_asking::has_room_for(const fleet_query& query) const {
  const auto is_callers = [&](const open_query& each) {
    return !each.query.sees_all && each.query.caller == query.caller;
  };
  const auto of_caller = static_cast<std::size_t>(std::count_if(open_.begin(), open_.end(), is_callers));
  const bool has_share = query.sees_all || of_caller < most_of_caller;
  return open_.size() < most_open && has_share;
}

fleet_asking::query_place fleet_asking::open(fleet_query query, wall_seconds now) {
  query.id = run_ + "." + std::to_string(++count_);
  query.at = now;
  open_query made{.query = std::move(query), .missing = peers_};
  const std::string& only = made.query.gateway;
  if (!only.empty()) std::erase_if(made.missing, [&](const peer& each) { return each.name != only; });
  for (const peer& each : made.missing) made.names[each.run] = each.name;
  made.is_sent = made.missing.empty();  // if there are no other gateways, nothing has to be sent
  return open_.insert(open_.end(), std::move(made));
}

fleet_answers fleet_asking::close(query_place which) {
  fleet_answers all;
  for (auto& [run, page] : which->pages) all.pages.emplace_back(which->names[run], std::move(page));
  if (!which->names.empty()) ended_.push_back(which->query.id);
  open_.erase(which);
  return all;
}

void fleet_asking::write_figures(std::string figures) {
  if (figures.size() > fleet_query_commands::longest_figures || figures == own_figures_) return;
  own_figures_ = std::move(figures);
  has_new_figures_ = true;
}

}  // namespace photofinish::gateway
