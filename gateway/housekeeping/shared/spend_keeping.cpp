#include "gateway/housekeeping/shared/spend_keeping.hpp"

#include "gateway/store/spend/post_codec.hpp"

#include <algorithm>
#include <cstdint>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

// The maximum number of commands in one call to the store. They take about 100 kB, and a millisecond of the store's
// time.
constexpr std::size_t most_in_a_call = 500;
// The maximum number of budgets that one half tick reads from the store. The next half tick continues with the
// following budgets.
constexpr std::size_t most_reads = 2000;

std::string window_name(const budget_period& every, std::chrono::sys_seconds ends) {
  std::string unit = std::to_string(every.length.count()) + "s";
  if (every.unit == budget_unit::day) unit = "1d";
  if (every.unit == budget_unit::week) unit = "1w";
  if (every.unit == budget_unit::month) unit = "1mo";
  return unit + "." + std::to_string(ends.time_since_epoch().count());
}

}  // namespace

void spend_keeping::use(std::shared_ptr<store_client> client, store_names names) {
  client_ = std::move(client);
  names_ = std::move(names);
}

asio::awaitable<void> spend_keeping::share() {
  accounts_of_ = limits_;
  if (!accounts_of_ || !client_) co_return;
  accounts_ = accounts_of_->charged_budgets();
  const auto now = now_();
  const std::vector<spend_reading> readings = read_accounts();
  ledger_.begin_round();
  for (const spend_reading& each : readings) ledger_.read(each, now);
  std::vector<known_spend> quiet = ledger_.unread(now);
  for (const spend_reading& each : readings)
    if (!ledger_.has_open_post(each.account)) quiet.push_back({each.account, each.window, each.window_ends, {}});
  co_await post_spend();
  co_await read_spend(std::move(quiet));
  facts_.budgets_restored += restored_.report(std::chrono::steady_clock::now());
  show_accounts(readings);
}

// Returns the money that this gateway has spent from each budget, in the order of accounts_.
std::vector<spend_reading> spend_keeping::read_accounts() {
  std::vector<spend_reading> all;
  for (const limit_table::charged_budget& each : accounts_) {
    // Reads the spending in the current window before the total spending. If money is spent between these two reads,
    // the next exchange with the store reports the difference.
    const std::int64_t in_window = each.account->spent();
    all.push_back({each.name, window_name(each.every, each.account->window_ends()), each.account->window_ends(),
                   each.account->spent_ever(), in_window});
  }
  return all;
}

asio::awaitable<void> spend_keeping::post_spend() {
  // Keeps the store's client alive during the call, because a reload may replace the client.
  const std::shared_ptr<store_client> client = client_;
  const auto& open = ledger_.open_posts(now_());
  const std::vector<spend_post> posts(open.begin(), open.end());
  for (std::size_t at = 0; at < posts.size() && client == client_; at += most_in_a_call) {
    const std::span<const spend_post> some(posts.data() + at, std::min(most_in_a_call, posts.size() - at));
    const bool is_sent = co_await send_posts(some);
    if (!is_sent) co_return;
  }
  const auto& left = ledger_.open_posts(now_());
  const auto is_kept = [this](const spend_post& each) { return each.writer != gateway_; };
  if (has_kept_posts_ && file_ && !file_->is_busy() && std::none_of(left.begin(), left.end(), is_kept)) {
    // Writes the file again without the reported amounts. Otherwise the next process would read these amounts from the
    // file and report them again.
    file_->write(encode_spend({{}, ledger_.all_known(now_())}));
    has_kept_posts_ = false;
  }
}

// Reads the store's sums for some of the budgets from which this gateway has spent nothing recently. The next call
// continues with the following budgets. If the store has lost a sum, a single call reads the sums of all these budgets.
asio::awaitable<void> spend_keeping::read_spend(std::vector<known_spend> quiet) {
  constexpr std::size_t most = most_in_a_call / 2;
  const std::shared_ptr<store_client> client = client_;
  if (!client || client->is_away()) co_return;
  if (quiet.size() > most_reads) {
    next_read_ %= quiet.size();
    std::rotate(quiet.begin(), quiet.begin() + static_cast<std::ptrdiff_t>(next_read_), quiet.end());
    next_read_ += most_reads;
  }
  for (std::size_t at = 0; at < quiet.size() && client == client_; at += most) {
    if (at >= most_reads && restored_.is_empty()) co_return;
    const std::span<const known_spend> some(quiet.data() + at, std::min(most, quiet.size() - at));
    std::vector<store_command> commands;
    for (const known_spend& each : some)
      for (store_command& one : names_.read_spend(each.account, each.window)) commands.push_back(std::move(one));
    const auto said = co_await client->call(std::move(commands));
    if (!said) co_return;
    std::vector<known_spend> lost;
    for (std::size_t each = 0; each < some.size(); ++each)
      if (!agrees(some[each], (*said)[2 * each], (*said)[2 * each + 1])) lost.push_back(some[each]);
    if (!lost.empty()) co_await settle_spend(std::move(lost));
  }
}

// True if the store's sum of a budget's spending equals this gateway's copy of the sum. Also true if the store's sum
// cannot be read because its key has a wrong type. In this case the copy stays unchanged.
bool spend_keeping::agrees(const known_spend& whose, const store_reply& sum, const store_reply& history) {
  if (sum.kind == reply_kind::error || history.kind == reply_kind::error) return true;
  const auto number = sum.kind == reply_kind::nil ? std::optional<std::int64_t>(0) : sum.number();
  const auto since = history_in(history);
  return number && since && ledger_.heard(whose.account, whose.window, {*number, *since});
}

// Corrects the store's sums of spending if they differ from this gateway's copies. A script in the store compares each
// sum with its copy and keeps the larger number, as one atomic step.
asio::awaitable<void> spend_keeping::settle_spend(std::vector<known_spend> lost) {
  std::vector<spend_post> nothing;
  for (const known_spend& each : lost) nothing.push_back({each.account, each.window, 0, gateway_, 0, each.window_ends});
  co_await send_posts(nothing);
}

// Reports spent amounts to the store. An amount of 0 causes the store to restore a sum that it has lost. Returns false
// if the store cannot be reached.
asio::awaitable<bool> spend_keeping::send_posts(std::span<const spend_post> posts) {
  const std::shared_ptr<store_client> client = client_;
  const store_client::commands make = [this, posts](const script_names& scripts) {
    std::vector<store_command> all;
    for (const spend_post& each : posts)
      all.push_back(names_.add_spend(scripts, each, ledger_.known(each.account, each.window), gateway_, now_()));
    return all;
  };
  const auto said = co_await client->call(make);
  for (std::size_t each = 0; said && each < posts.size(); ++each) {
    const auto reply = spend_reply_in((*said)[each]);
    if (!reply) continue;
    if (posts[each].nano_usd == 0) ledger_.settled(posts[each].account, posts[each].window, reply->sum);
    else ledger_.answered(posts[each], reply->sum);
    if (reply->is_restored) restored_.note(posts[each].account, reply->sum.nano_usd);
  }
  co_return said.has_value();
}

// Passes each budget's spending to the workers. If the store cannot be reached, the spending of all gateways is
// estimated as this gateway's spending multiplied by the number of gateways.
void spend_keeping::show_accounts(const std::vector<spend_reading>& readings) {
  const bool is_away = client_ && client_->is_away();
  const std::uint64_t times = is_away ? std::max<std::uint64_t>(1, facts_.replicas) : 1;
  for (std::size_t at = 0; at < readings.size(); ++at) {
    limit_account& account = *accounts_[at].account;
    // Skips the budget if its time window has ended since its spending was read.
    if (account.window_ends() != readings[at].window_ends) continue;
    spend_reading latest = readings[at];
    latest.spent_ever = account.spent_ever();
    account.show_spent(latest.spent_ever, ledger_.spent(latest, times));
  }
}

void spend_keeping::load() {
  if (state_dir_.empty()) return;
  file_.emplace(state_dir_, "spend", "spent amounts that the store does not have");
  if (!file_->is_usable()) return file_.reset();
  const std::optional<file_content> kept = file_->read();
  if (!kept) return;
  if (!kept->problem.empty()) return file_->set_aside(kept->problem);
  auto read = decode_spend(kept->text);
  if (!read) return file_->set_aside("the file has an unknown format");
  has_kept_posts_ = !read->posts.empty();
  ledger_.restore(std::move(read->posts), std::move(read->sums));
}

void spend_keeping::save_rest() {
  if (accounts_of_)
    for (const spend_reading& each : read_accounts()) ledger_.read_last(each, now_());
  const auto& open = ledger_.open_posts(now_());
  kept_spend kept{{open.begin(), open.end()}, ledger_.all_known(now_())};
  if (!file_ || (kept.posts.empty() && kept.sums.empty() && !has_kept_posts_)) return;
  file_->finish();
  file_->write(encode_spend(kept));
  file_->finish();
}

}  // namespace photofinish::gateway
