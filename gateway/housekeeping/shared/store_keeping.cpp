#include "gateway/housekeeping/shared/store_keeping.hpp"

#include "gateway/config/sources/instance.hpp"
#include "gateway/process/random_bits.hpp"
#include "gateway/store/spend/post_codec.hpp"

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string_view>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

using std::chrono::milliseconds;

constexpr std::size_t most_noted = 1000;       // targets
constexpr milliseconds between_calls{20};      // a storm of 429s is passed on 50 times a second
constexpr int ticks_of_refusal = 10;           // a command that is refused is sent again sooner
constexpr milliseconds same_time{250};         // an end that moved by less has not moved

std::string random_name() {
  constexpr std::string_view digits = "0123456789abcdef";
  std::array<char, 8> bytes{};
  fill_with_random(bytes);
  std::string name;
  for (const char each : bytes) {
    const auto byte = static_cast<unsigned char>(each);
    name += digits[byte >> 4];
    name += digits[byte & 15];
  }
  return name;
}

// What gateways share the speed of: targets of routes.
std::set<std::string> shared_targets(const config& settings) {
  std::set<std::string> all;
  for (const auto& [name, route] : settings.routes) {
    for (const target_name& each : route.targets) all.insert(each.text());
    for (const route_rule& rule : route.rules)
      for (const target_name& each : rule.targets) all.insert(each.text());
  }
  return all;
}

std::string window_name(const budget_period& every, std::chrono::sys_seconds ends) {
  std::string unit = std::to_string(every.length.count()) + "s";
  if (every.unit == budget_unit::day) unit = "1d";
  if (every.unit == budget_unit::week) unit = "1w";
  if (every.unit == budget_unit::month) unit = "1mo";
  return unit + "." + std::to_string(ends.time_since_epoch().count());
}

}  // namespace

store_keeping::store_keeping(asio::io_context& loop, store_surroundings how)
    : loop_(loop), how_(std::move(how)), gateway_(random_name()),
      shared_limits_(loop, gateway_, how_.tick, facts_, [this] { end_tick(); }), keys_(loop, how_.tick, facts_),
      fleet_(loop, gateway_, how_.tick, facts_), speeds_(gateway_, how_.tick), ledger_(gateway_),
      rounds_(loop, {.is_wanted = [this] { return client_ != nullptr; },
                     .round = [this] { return run_round(); },
                     .ended = {},
                     .failure = "the store was not asked",
                     .apart = between_calls}) {}

store_keeping::~store_keeping() = default;

void store_keeping::adopt(const config& settings, std::shared_ptr<const limit_table> limits) {
  limits_ = std::move(limits);
  speeds_.adopt(shared_targets(settings));
  fleet_.rename(instance_name(settings));
  if (settings.store == settings_) {
    shared_limits_.adopt(limits_);
    return end_tick();
  }
  settings_ = settings.store;
  if (client_) client_->cancel();
  client_.reset();
  cooling_.clear();
  speeds_.forget();
  may_share_egress_ = may_share_speeds_ = true;
  if (egress_ != nullptr) egress_->forget_others();
  facts_.is_used = !settings_.url.empty();
  facts_.is_up = false;
  facts_.replicas = 0;
  if (facts_.is_used) {
    if (!network_) {
      network_ = std::make_unique<store_network>(loop_);
      load_posts();
    }
    names_ = store_names(settings_.prefix);
    client_ = std::make_shared<store_client>(*network_, settings_, facts_);
    next_tick_ = {};
    rounds_.wake();
  }
  shared_limits_.use(facts_.is_used ? network_.get() : nullptr, settings_);
  keys_.use(facts_.is_used ? network_.get() : nullptr, settings_);
  fleet_.use(facts_.is_used ? network_.get() : nullptr, settings_);
  shared_limits_.adopt(limits_);
  end_tick();
  how_.on_cooling();
}

void store_keeping::watch_keys(key_sharing::publish on_change) {
  asio::dispatch(loop_, [this, on_change = std::move(on_change)]() mutable { keys_.watch(std::move(on_change)); });
}

void store_keeping::ask_for_limits(accounts_asked accounts, std::function<void()> answered) {
  asio::post(loop_, [this, accounts = std::move(accounts), answered = std::move(answered)]() mutable {
    shared_limits_.ask(accounts, std::move(answered));
  });
}

asio::awaitable<racing::instant> store_keeping::run_round() {
  const bool is_due = std::chrono::steady_clock::now() >= next_tick_;
  const bool is_whole = is_due && ++halves_ % 2 == 1;
  // Spend twice a tick: what one gateway posts the others read within a whole one.
  if (is_due) next_tick_ = std::chrono::steady_clock::now() + how_.tick / 2;
  const work what = is_whole ? work::all : work::cooling;
  co_await share_signs(what);
  if (is_due) co_await share_spend();
  if (is_whole) co_await share_speeds();
  if (is_whole) co_await share_egress();
  end_tick();
  co_return next_tick_;
}

// What workers and metrics see of it.
void store_keeping::end_tick() {
  const bool is_away = client_ && (client_->is_away() || shared_limits_.is_away());
  const auto lately = std::chrono::steady_clock::now() - ticks_of_refusal * how_.tick;
  const bool is_refused = client_ && (client_->has_refused_since(lately) || shared_limits_.is_refused_since(lately));
  facts_.is_degraded = is_away || is_refused;
  if (!limits_) return;
  facts_.answered_waits = limits_->sharing().answered();
  facts_.late_waits = limits_->sharing().late();
  limits_->set_known(!is_away || settings_.on_failure == store_failure_rule::local);
}

void store_keeping::note(const racing::attempt_sample& failed) {
  if (!client_ || !failed.failed || failed.id.find('#') != std::string::npos) return;
  if (racing::blame_for(*failed.failed, failed.status, failed.scope) != racing::blame::limit) return;
  const bool is_quota = *failed.failed == proxy::failure_kind::quota;
  const milliseconds usual = is_quota ? racing::cooldowns::quota_default : racing::cooldowns::rate_limited_default;
  const milliseconds length = std::min<milliseconds>(failed.retry_after.value_or(usual), racing::cooldowns::longest);
  if (noted_.size() >= most_noted && !noted_.contains(failed.id)) return;
  noted_[failed.id] = std::chrono::steady_clock::now() + length;
  rounds_.wake();
}

void store_keeping::add_cooling(racing::scoreboard& board, racing::instant now) const {
  for (const auto& [target, end] : cooling_) {
    if (end <= now) continue;
    for (auto* all : {&board.cools_until, &board.limited_until}) {
      racing::instant& until = (*all)[target];
      until = std::max(until, end);
    }
  }
}

// A sign of life, where it is due; and what is known of limits, there and back.
asio::awaitable<void> store_keeping::share_signs(work what) {
  const std::shared_ptr<store_client> client = client_;
  const ends sent = std::exchange(noted_, {});
  const store_client::commands make = [this, &sent, what](const script_names& scripts) {
    const racing::instant now = std::chrono::steady_clock::now();
    store_names::cooling lengths;
    for (const auto& [target, end] : sent)
      if (end > now) lengths.emplace_back(target, std::chrono::ceil<milliseconds>(end - now));
    std::vector<store_command> all{names_.cool(scripts, lengths)};
    if (what == work::all) all.push_back(names_.live(scripts, gateway_));
    return all;
  };
  const auto said = co_await client->call(make);
  if (!said) {
    noted_.insert(sent.begin(), sent.end());  // what came meanwhile is newer
    co_return;
  }
  if (client != client_) co_return;
  if (const auto heard = cooling_in(said->front())) take_cooling(*heard, std::chrono::steady_clock::now());
  if (what != work::all) co_return;
  if (const auto count = said->back().number(); count && *count > 0)
    facts_.replicas = static_cast<std::uint64_t>(*count);
}

void store_keeping::take_cooling(const store_names::cooling& heard, racing::instant now) {
  ends next;
  bool has_changed = false;
  for (const auto& [target, length] : heard) {
    const racing::instant end = now + length;
    const auto before = cooling_.find(target);
    const bool is_same = before != cooling_.end() && std::chrono::abs(end - before->second) < same_time;
    has_changed |= !is_same;
    next.emplace(target, is_same ? before->second : end);
  }
  for (const auto& [target, end] : cooling_) has_changed |= end > now && !next.contains(target);
  cooling_ = std::move(next);
  if (has_changed) how_.on_cooling();
}

asio::awaitable<void> store_keeping::share_spend() {
  accounts_of_ = limits_;
  if (!accounts_of_ || !client_) co_return;
  accounts_ = accounts_of_->charged_budgets();
  const auto now = how_.now();
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

// In the order of accounts_; without a window where the account has none yet.
std::vector<spend_reading> store_keeping::read_accounts() {
  std::vector<spend_reading> all;
  for (const limit_table::charged_budget& each : accounts_) {
    const std::int64_t in_window = each.account->spent();  // first: what comes between the two is posted next time
    all.push_back({each.name, window_name(each.every, each.account->window_ends()), each.account->window_ends(),
                   each.account->spent_ever(), in_window});
  }
  return all;
}

// A reply that is lost does no harm: a field is written again, and a quarter is read again.
// A missing right stays until the store is configured again; another error is about one key.
bool store_keeping::takes_speeds(const store_link::replies& said) {
  const auto is_denial = [](const store_reply& each) {
    return each.kind == reply_kind::error && each.text.starts_with("NOPERM");
  };
  if (std::none_of(said.begin(), said.end(), is_denial)) return true;
  may_share_speeds_ = false;
  spdlog::warn("the store's user may not read and write {}:stats:*: speeds are of this gateway alone",
               settings_.prefix);
  return false;
}

// A store that refuses these keys is asked once: limits and budgets do without them.
asio::awaitable<void> store_keeping::share_speeds() {
  const std::shared_ptr<store_client> client = client_;
  if (!client || client->is_away() || !may_share_speeds_) co_return;
  const racing::wall_time now = ways_.wall();
  if (const speed_sharing::post* post = speeds_.due(now)) {
    const store_client::commands make = [this, post](const script_names&) {
      return names_.write_speeds(post->quarter, gateway_, post->bytes, speed_sharing::life);
    };
    const auto said = co_await client->call(make, store_client::denial_rule::reply);
    if (!said || client != client_ || !takes_speeds(*said)) co_return;
    speeds_.written();
  }
  for (const std::int64_t quarter : speeds_.to_read(now)) {
    const store_client::commands make = [this, quarter](const script_names&) {
      return std::vector<store_command>{names_.read_speeds(quarter)};
    };
    const auto said = co_await client->call(make, store_client::denial_rule::reply);
    if (!said || client != client_ || !takes_speeds(*said)) co_return;
    const racing::wall_time wall = ways_.wall();
    std::uint64_t& refused = facts_.errors[static_cast<std::size_t>(store_error::protocol)];
    for (const speed_sharing::learned& each : speeds_.heard(quarter, said->front(), wall, refused)) {
      if (!each.is_old) ways_.on_figures(each);  // those before may be of this gateway's own run before
      for (const auto& step : speeds_.steps_of(each, wall, std::chrono::steady_clock::now())) ways_.on_step(step);
    }
  }
}

// Asks and answers whether gateways reach their providers. A store that refuses these keys is asked once.
asio::awaitable<void> store_keeping::share_egress() {
  const std::shared_ptr<store_client> client = client_;
  if (!client || client->is_away() || egress_ == nullptr || !may_share_egress_) co_return;
  const std::string answer = egress_->take_answer();
  const bool asks = egress_->asks();
  const store_client::commands make = [this, asks, &answer](const script_names&) {
    return names_.share_egress(asks ? gateway_ : std::string(), answer);
  };
  const auto said = co_await client->call(make, store_client::denial_rule::reply);
  if (client != client_) co_return;
  const auto is_error = [](const store_reply& each) { return each.kind == reply_kind::error; };
  const bool is_denied = !said && client->trouble().starts_with("permission");
  if (!said && !is_denied) co_return;
  if (is_denied || std::any_of(said->begin(), said->end(), is_error)) {
    may_share_egress_ = false;
    egress_->forget_others();
    co_return;
  }
  egress_->heard({said->front().kind == reply_kind::text, said->at(1).text}, std::chrono::steady_clock::now());
}

asio::awaitable<void> store_keeping::stop() {
  co_await rounds_.stop();
  co_await shared_limits_.stop();
  co_await keys_.stop();
  co_await fleet_.stop();
  const std::shared_ptr<store_client> client = client_;
  if (client) {
    if (!client->is_away()) co_await share_spend();
    const store_client::commands leave = [this](const script_names&) {
      return std::vector<store_command>{names_.leave(gateway_)};
    };
    if (!client->is_away()) co_await client->call(leave);
    client->cancel();
  }
  if (accounts_of_)
    for (const spend_reading& each : read_accounts()) ledger_.read_last(each, how_.now());
  save_posts();
  if (network_) network_->stop();
}

}  // namespace photofinish::gateway
