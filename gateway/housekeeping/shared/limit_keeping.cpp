#include "gateway/housekeeping/shared/limit_keeping.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

using std::chrono::microseconds;

// The maximum number of limits in one call to the store. Each limit needs up to three commands, and one call takes a
// few milliseconds of the store's time.
constexpr std::size_t most_errands = 150;
// The interval at which permits of concurrency limits are renewed. A permit is valid for ten seconds.
constexpr std::chrono::seconds renewal{3};
// If this gateway has not used its leased part of a rate limit for this many ticks, it returns the part to the store.
constexpr std::uint64_t ticks_of_rest = 10;
// If the leases of a limit were unused at this number of consecutive checks, this gateway stops sharing the limit.
constexpr int most_rests = 6;

// Leased amounts are rounded down, and used amounts that must still be reported (debts) are rounded up. Therefore a
// gateway never uses more than it was granted, and never reports less than it has used.
microseconds down(token_bucket::time time) { return std::chrono::floor<microseconds>(time); }
microseconds up(token_bucket::time time) { return std::chrono::ceil<microseconds>(time); }

lease_request as_request(const quota_demand& demand, std::uint64_t gateways) {
  lease_request made{.charge = up(demand.charge), .want = up(demand.want), .least = up(demand.least)};
  made.unit = demand.is_ahead ? up(demand.unit) : microseconds(0);
  made.gateways = std::max<std::uint64_t>(1, gateways);
  for (std::size_t each = 0; each < demand.back.size(); ++each)
    made.back[each] = {down(demand.back[each].amount), up(demand.back[each].taken_ago)};
  return made;
}

void take_requests(limit_account& account, const quota_demand& asked, const store_reply& reply, proxy::instant now) {
  if (const auto lease = lease_in(reply)) account.requests_leased(asked, lease->given, lease->missing, now);
  else account.request_cell.failed(asked);
}

void take_tokens(limit_account& account, const quota_demand& asked, const store_reply& reply, proxy::instant now) {
  if (const auto lease = lease_in(reply)) account.tokens_leased(asked, lease->given, lease->missing, now);
  else account.token_cell.failed(asked);
}

}  // namespace

limit_keeping::limit_keeping(asio::io_context& loop, std::string gateway, std::chrono::milliseconds tick,
                             metrics::store_facts& facts, std::function<void()> on_change)
    : gateway_(std::move(gateway)), tick_(tick), facts_(facts), on_change_(std::move(on_change)),
      rounds_(loop, {.is_wanted = [this] { return client_ != nullptr; },
                     .round = [this] { return run_round(); },
                     .ended = [this] { answer_all(); },
                     .failure = "limits were not requested from the store"}) {}

void limit_keeping::use(store_network* net, const store_settings& settings) {
  if (client_) client_->cancel();
  client_.reset();
  prefix_ = settings.prefix;
  for (auto& [account, each] : watched_) {
    account->request_cell.clear();
    account->token_cell.clear();
    account->places.clear();
  }
  if (net != nullptr) client_ = std::make_shared<store_client>(*net, settings, facts_);
  next_tick_ = {};
}

void limit_keeping::adopt(std::shared_ptr<const limit_table> limits) {
  limits_ = std::move(limits);
  show_mode();
  is_wanted_ = is_wanted_ || (limits_ && limits_->has_rates());
  if (client_ && is_wanted_) rounds_.wake();
}

void limit_keeping::ask(const accounts_asked& asked, std::function<void()> answered) {
  if (!client_ || is_away() || rounds_.is_stopping()) {
    for (const auto& each : asked) each->is_asked_for.store(false, std::memory_order_relaxed);
    if (answered) answered();
    return;
  }
  for (const auto& each : asked) {
    watched& its = watched_.try_emplace(each.get(), watched{each}).first->second;
    its.rests = 0;
    asked_.push_back(&its);
  }
  if (answered) waiting_.push_back(std::move(answered));
  is_wanted_ = true;
  rounds_.wake();
}

asio::awaitable<proxy::instant> limit_keeping::run_round() {
  const bool is_due = std::chrono::steady_clock::now() >= next_tick_;
  if (is_due) next_tick_ = std::chrono::steady_clock::now() + tick_;
  answering_.insert(answering_.end(), waiting_.begin(), waiting_.end());
  waiting_.clear();
  std::vector<watched*> asked = std::exchange(asked_, {});
  bool is_there = !client_->is_away();
  if (is_due && !is_there) is_there = co_await ping();
  if (is_due && is_there) {
    if (++ticks_ % ticks_of_rest == 0) rest_all();
    asked = everyone();
  }
  if (is_there && (is_due || !asked.empty())) co_await run_errands(std::move(asked), is_due);
  show_mode();
  for (const auto& answered : std::exchange(answering_, {})) answered();
  co_return next_tick_;
}

// Calls the callbacks of all waiting requests, because this object will make no more calls to the store.
void limit_keeping::answer_all() {
  show_mode();
  for (auto* some : {&answering_, &waiting_})
    for (const auto& answered : std::exchange(*some, {})) answered();
}

// Pings the store if it was unreachable, or if there are no other commands. Therefore the gateway knows the store's
// state before a request needs the store. An unreachable store gets only pings: a store that hangs may resume later,
// and would then execute all commands that it has received.
asio::awaitable<bool> limit_keeping::ping() {
  const std::shared_ptr<store_client> client = client_;
  std::vector<store_command> commands{{"TIME"}};
  const auto said = co_await client->call(std::move(commands));
  co_return said.has_value() && client == client_;
}

std::vector<limit_keeping::watched*> limit_keeping::everyone() {
  std::vector<watched*> all;
  for (auto& [account, each] : watched_) all.push_back(&each);
  return all;
}

asio::awaitable<void> limit_keeping::run_errands(std::vector<watched*> whose, bool is_due) {
  std::sort(whose.begin(), whose.end());
  whose.erase(std::unique(whose.begin(), whose.end()), whose.end());
  std::vector<errand> all;
  for (watched* each : whose) {
    errand made = errand_for(*each, is_due);
    if (made.has_places || !made.requests.is_empty() || !made.tokens.is_empty()) all.push_back(std::move(made));
  }
  if (all.empty() && is_due) co_await ping();
  for (std::size_t at = 0; at < all.size(); at += most_errands) {
    const std::span<errand> some(all.data() + at, std::min(most_errands, all.size() - at));
    co_await exchange(some);
  }
}

limit_keeping::errand limit_keeping::errand_for(watched& whose, bool is_due) {
  const instant now = std::chrono::steady_clock::now();
  limit_account& account = *whose.account;
  account.is_asked_for.store(false, std::memory_order_relaxed);
  errand made{.whose = &whose, .requests = account.request_cell.collect(now)};
  made.tokens = account.token_cell.collect(now);
  const std::uint64_t before = account.places.permits();
  const bool wants_more = account.places.wants_more();
  if (account.places.most() == 0 || (!is_due && !wants_more)) return made;
  made.places = account.places.collect(facts_.replicas);
  made.has_places = made.places != before || (made.places > 0 && now - whose.renewed_at >= renewal);
  return made;
}

std::vector<store_command> limit_keeping::commands_for(const script_names& scripts, std::span<const errand> some) {
  std::vector<store_command> all;
  for (const errand& each : some) {
    const limit_account& account = *each.whose->account;
    if (!each.requests.is_empty())
      all.push_back(lease_command(scripts, prefix_, "requests:" + account.name(),
                                  as_request(each.requests, facts_.replicas)));
    if (!each.tokens.is_empty())
      all.push_back(lease_command(scripts, prefix_, "tokens:" + account.name(),
                                  as_request(each.tokens, facts_.replicas)));
    if (each.has_places)
      all.push_back(permit_command(scripts, prefix_, account.name(),
                                   {gateway_, each.places, account.places.most(), ++number_}));
  }
  return all;
}

// The commands are sent only once, because the store may execute them even if its reply is lost. If the store's client
// repeats the call, it sends a harmless command instead. If the call fails, debts are sent again later and may be
// counted twice. Leases are never returned twice.
asio::awaitable<void> limit_keeping::exchange(std::span<errand> some) {
  const std::shared_ptr<store_client> client = client_;
  if (!client) co_return;
  int tries = 0;
  const store_client::commands make = [this, some, &tries](const script_names& scripts) {
    return ++tries == 1 ? commands_for(scripts, some) : std::vector<store_command>{{"TIME"}};
  };
  const auto said = co_await client->call(make);
  if (client != client_) co_return;
  if (said && tries == 1) co_return take_replies(some, *said);
  for (const errand& each : some) {
    each.whose->account->request_cell.failed(each.requests);
    each.whose->account->token_cell.failed(each.tokens);
  }
}

void limit_keeping::take_replies(std::span<errand> some, const store_link::replies& said) {
  const instant now = std::chrono::steady_clock::now();
  std::size_t at = 0;
  for (errand& each : some) {
    limit_account& account = *each.whose->account;
    if (!each.requests.is_empty()) take_requests(account, each.requests, said[at++], now);
    if (!each.tokens.is_empty()) take_tokens(account, each.tokens, said[at++], now);
    if (!each.has_places) continue;
    const auto held = said[at++].number();
    if (!held) continue;
    account.places.answered(each.places, static_cast<std::uint64_t>(std::clamp<std::int64_t>(
                                             *held, 0, static_cast<std::int64_t>(each.places))), now);
    each.whose->renewed_at = now;
  }
}

void limit_keeping::rest_all() {
  const instant now = std::chrono::steady_clock::now();
  for (auto each = watched_.begin(); each != watched_.end();) {
    limit_account& account = *each->first;
    const bool rests_requests = account.request_cell.rest(now), rests_tokens = account.token_cell.rest(now);
    const bool is_idle = rests_requests && rests_tokens && account.running() == 0 && account.places.permits() == 0;
    each->second.rests = is_idle ? each->second.rests + 1 : 0;
    const bool is_asked = std::find(asked_.begin(), asked_.end(), &each->second) != asked_.end();
    if (each->second.rests > most_rests && !is_asked) each = watched_.erase(each);
    else ++each;
  }
}

void limit_keeping::show_mode() {
  const bool is_gone = is_away();
  if (is_gone && !was_away_)
    for (auto& [account, each] : watched_) account->store_went_away(std::chrono::steady_clock::now());
  if (limits_) {
    const limit_mode mode = !client_ ? limit_mode::alone : is_gone ? limit_mode::apart : limit_mode::shared;
    limits_->sharing().set(mode, facts_.replicas);
  }
  if (std::exchange(was_away_, is_gone) != is_gone) on_change_();
}

asio::awaitable<void> limit_keeping::stop() {
  co_await rounds_.stop();
  const std::shared_ptr<store_client> client = client_;
  if (!client || client->is_away()) co_return;
  // Checks all leases twice, because leases count as unused only if they were not used since the previous check.
  for (int twice = 0; twice < 2; ++twice) rest_all();
  std::vector<watched*> all = everyone();
  co_await run_errands(std::move(all), true);
  client->cancel();
}

}  // namespace photofinish::gateway
