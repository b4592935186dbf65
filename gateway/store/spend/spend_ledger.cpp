#include "gateway/store/spend/spend_ledger.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::gateway {
namespace {

// The largest total spending, about two billion dollars. Two such totals can be added without overflow.
constexpr std::int64_t most_sum = std::int64_t{1} << 61;
// The time for which the gateway keeps the total spending of a budget window that has ended. The store keeps it for the
// same time.
constexpr std::chrono::hours own_kept_behind_window{24};
constexpr std::chrono::hours kept_unread{1};

std::int64_t bounded(std::int64_t sum) { return std::clamp<std::int64_t>(sum, 0, most_sum); }

}  // namespace

void spend_ledger::restore(std::vector<spend_post> posts, std::vector<known_spend> sums) {
  for (spend_post& each : posts)
    if (posts_.size() < most_posts) posts_.push_back(std::move(each));
  for (known_spend& each : sums) {
    if (states_.size() >= most_states) return;
    const auto [place, is_new] = states_.try_emplace(std::move(each.account));
    if (!is_new) continue;
    place->second.window = std::move(each.window);
    place->second.window_ends = each.window_ends;
    place->second.sum = {bounded(each.sum.nano_usd), std::move(each.sum.history)};
  }
}

void spend_ledger::read(const spend_reading& each, std::chrono::sys_seconds now) {
  state& its = states_.try_emplace(each.account).first->second;
  const bool is_first = its.round == 0;
  its.read_at = now;
  its.round = round_;
  if (is_first) {
    if (its.window != each.window) its.sum = {};
    its.window = each.window;
    its.window_ends = each.window_ends;
    its.posted = each.spent_ever - each.spent_in_window;
  }
  // An account that was dropped and created again counts its spending from 0.
  if (each.spent_ever < its.posted) its.posted = 0;
  if (its.window != each.window) {
    // the spending that was not yet reported to the store belongs to the previous budget window
    post(each.account, its, each.spent_ever);
    its = {.window = each.window, .window_ends = each.window_ends, .posted = each.spent_ever,
           .sum = {}, .open_posts = its.open_posts, .read_at = now, .round = round_};
  }
  if (its.open == 0) post(each.account, its, each.spent_ever);
}

void spend_ledger::read_last(const spend_reading& each, std::chrono::sys_seconds now) {
  read(each, now);
  post(each.account, states_.at(each.account), each.spent_ever);
}

void spend_ledger::post(const std::string& account, state& its, std::int64_t spent_ever) {
  const std::int64_t amount = spent_ever - its.posted;
  if (amount <= 0) return;
  posts_.push_back({account, its.window, amount, writer_, ++number_, its.window_ends});
  its.posted = spent_ever;
  its.open += amount;
  ++its.open_posts;
}

const std::deque<spend_post>& spend_ledger::open_posts(std::chrono::sys_seconds now) {
  const auto is_stale = [&](const spend_post& each) {
    const bool is_over = each.window_ends + own_kept_behind_window < now;
    if (is_over) give_up(each);
    return is_over;
  };
  std::erase_if(posts_, is_stale);
  while (posts_.size() > most_posts) {
    give_up(posts_.front());
    posts_.pop_front();
  }
  forget(now);
  return posts_;
}

bool spend_ledger::has_open_post(std::string_view account) const {
  const auto found = states_.find(account);
  return found != states_.end() && found->second.open > 0;
}

void spend_ledger::give_up(const spend_post& lost) {
  if (lost.writer != writer_) return;
  const auto found = states_.find(lost.account);
  if (found == states_.end()) return;
  state& its = found->second;
  if (its.open_posts > 0) --its.open_posts;
  if (its.window == lost.window) its.open = std::max<std::int64_t>(0, its.open - lost.nano_usd);
}

void spend_ledger::forget(std::chrono::sys_seconds now) {
  if (states_.size() <= most_states) return;
  std::erase_if(states_, [&](const auto& each) {
    return each.second.open_posts == 0 && each.second.read_at + kept_unread < now;
  });
}

void spend_ledger::answered(const spend_post& post, const spend_sum& sum) {
  const auto is_it = [&](const spend_post& each) { return each.number == post.number && each.writer == post.writer; };
  const auto found = std::find_if(posts_.begin(), posts_.end(), is_it);
  if (found == posts_.end()) return;
  const spend_post done = std::move(*found);
  posts_.erase(found);
  give_up(done);
  settled(done.account, done.window, sum);
}

spend_ledger::state* spend_ledger::find(std::string_view account, std::string_view window) {
  const auto found = states_.find(account);
  return found != states_.end() && found->second.window == window ? &found->second : nullptr;
}

spend_sum spend_ledger::known(std::string_view account, std::string_view window) const {
  const auto found = states_.find(account);
  return found != states_.end() && found->second.window == window ? found->second.sum : spend_sum();
}

// Stores the total spending that the store reports. Between two resets of a budget, its total never decreases.
// Therefore a smaller total means that the store has lost data.
void spend_ledger::settled(std::string_view account, std::string_view window, const spend_sum& sum) {
  state* its = find(account, window);
  if (its == nullptr || sum.history.epoch < its->sum.history.epoch) return;
  const bool is_reopened = sum.history.epoch > its->sum.history.epoch;
  const std::int64_t now = bounded(sum.nano_usd);
  its->sum = {is_reopened ? now : std::max(now, its->sum.nano_usd), sum.history};
}

bool spend_ledger::heard(std::string_view account, std::string_view window, const spend_sum& sum) {
  state* its = find(account, window);
  if (its == nullptr) return true;
  if (sum.history != its->sum.history || sum.nano_usd < its->sum.nano_usd) return false;
  its->sum.nano_usd = bounded(sum.nano_usd);
  return true;
}

std::vector<known_spend> spend_ledger::unread(std::chrono::sys_seconds now) const {
  std::vector<known_spend> all;
  for (const auto& [account, its] : states_) {
    const bool is_known = its.sum.nano_usd > 0 || its.sum.history.is_known();
    if (its.round != round_ && is_known && its.window_ends > now)
      all.push_back({account, its.window, its.window_ends, its.sum});
  }
  return all;
}

std::vector<known_spend> spend_ledger::all_known(std::chrono::sys_seconds now) const {
  std::vector<known_spend> all;
  for (const auto& [account, its] : states_) {
    const bool is_known = its.sum.nano_usd > 0 || its.sum.history.is_known();
    if (is_known && its.window_ends > now) all.push_back({account, its.window, its.window_ends, its.sum});
  }
  return all;
}

std::int64_t spend_ledger::spent(const spend_reading& each, std::uint64_t times) const {
  const auto found = states_.find(each.account);
  if (found == states_.end() || found->second.window != each.window) return 0;
  const state& its = found->second;
  const std::int64_t own = bounded(each.spent_ever - its.posted + its.open);
  const auto factor = static_cast<std::int64_t>(std::clamp<std::uint64_t>(times, 1, 1000));
  return its.sum.nano_usd + std::min(own, most_sum / factor) * factor;
}

}  // namespace photofinish::gateway
