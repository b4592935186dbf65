#include "gateway/housekeeping/shared/store_keeping.hpp"

#include "gateway/config/sources/instance.hpp"
#include "gateway/process/random_bits.hpp"

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>

#include <spdlog/spdlog.h>

#include <algorithm>
#include <set>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

// The pause between two calls to the store. Because of this pause, other gateways learn about rate limits of providers
// at most 50 times per second.
constexpr std::chrono::milliseconds between_calls{20};
// The gateway counts as degraded for this number of ticks after the store has refused a command. The gateway sends the
// command again before this time has passed.
constexpr int ticks_of_refusal = 10;

// Returns the targets whose measured speeds gateways share: all targets of routes.
std::set<std::string> shared_targets(const config& settings) {
  std::set<std::string> all;
  for (const auto& [name, route] : settings.routes) {
    for (const target_name& each : route.targets) all.insert(each.text());
    for (const route_rule& rule : route.rules)
      for (const target_name& each : rule.targets) all.insert(each.text());
  }
  return all;
}

}  // namespace

store_keeping::store_keeping(asio::io_context& loop, store_surroundings how)
    : loop_(loop), how_(std::move(how)), gateway_(random_name()),
      shared_limits_(loop, gateway_, how_.tick, facts_, [this] { end_tick(); }), keys_(loop, how_.tick, facts_),
      fleet_(loop, gateway_, how_.tick, facts_), speeds_(gateway_, how_.tick),
      spend_({gateway_, how_.state_dir, how_.now, facts_}),
      prefixes_(how_.prefixes == nullptr ? nullptr
                                         : std::make_unique<prefix_keeping>(
                                               loop, prefix_keeping::surroundings{gateway_, how_.state_dir, how_.tick},
                                               *how_.prefixes, facts_)),
      rounds_(loop, {.is_wanted = [this] { return client_ != nullptr; },
                     .round = [this] { return run_round(); },
                     .ended = {},
                     .failure = "no data was requested from the store",
                     .apart = between_calls}) {}

void store_keeping::adopt(const config& settings, std::shared_ptr<const limit_table> limits) {
  spend_.adopt(limits);
  speeds_.adopt(shared_targets(settings));
  fleet_.rename(instance_name(settings));
  if (settings.store == settings_) {
    shared_limits_.adopt(std::move(limits));
    return end_tick();
  }
  settings_ = settings.store;
  if (client_) client_->cancel();
  client_.reset();
  cooling_.forget();
  speeds_.forget();
  rights_ = {};
  if (egress_ != nullptr) egress_->forget_others();
  facts_.is_used = !settings_.url.empty();
  facts_.is_up = false;
  facts_.replicas = 0;
  if (facts_.is_used) {
    if (!network_) {
      network_ = std::make_unique<store_network>(loop_);
      spend_.load();
    }
    names_ = store_names(settings_.prefix);
    client_ = std::make_shared<store_client>(*network_, settings_, facts_);
    schedule_.next_tick = {};
    rounds_.wake();
  }
  shared_limits_.use(facts_.is_used ? network_.get() : nullptr, settings_);
  keys_.use(facts_.is_used ? network_.get() : nullptr, settings_);
  fleet_.use(facts_.is_used ? network_.get() : nullptr, settings_);
  if (prefixes_) prefixes_->use(facts_.is_used ? network_.get() : nullptr, settings_);
  spend_.use(client_, names_);
  shared_limits_.adopt(std::move(limits));
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
  const bool is_due = std::chrono::steady_clock::now() >= schedule_.next_tick;
  const bool is_whole = is_due && ++schedule_.halves % 2 == 1;
  // Spending is exchanged twice per tick, so that other gateways know each amount within one tick.
  if (is_due) schedule_.next_tick = std::chrono::steady_clock::now() + how_.tick / 2;
  const work what = is_whole ? work::all : work::cooling;
  co_await share_signs(what);
  if (is_due) co_await spend_.share();
  if (is_whole) co_await share_speeds();
  if (is_whole) co_await share_egress();
  end_tick();
  co_return schedule_.next_tick;
}

// Updates the metrics that show whether the store can be used, and informs the workers about it.
void store_keeping::end_tick() {
  const bool is_away = client_ && (client_->is_away() || shared_limits_.is_away());
  const auto lately = std::chrono::steady_clock::now() - ticks_of_refusal * how_.tick;
  const bool is_refused = client_ && (client_->has_refused_since(lately) || shared_limits_.is_refused_since(lately));
  facts_.is_degraded = is_away || is_refused;
  const limit_table* limits = spend_.limits();
  if (limits == nullptr) return;
  facts_.answered_waits = limits->sharing().answered();
  facts_.late_waits = limits->sharing().late();
  limits->set_known(!is_away || settings_.on_failure == store_failure_rule::local);
}

void store_keeping::note(const racing::attempt_sample& failed) {
  if (client_ && cooling_.note(failed, std::chrono::steady_clock::now())) rounds_.wake();
}

// Tells the store at regular intervals that this gateway is running. Sends this gateway's cooldowns of providers, and
// reads the cooldowns of other gateways.
asio::awaitable<void> store_keeping::share_signs(work what) {
  const std::shared_ptr<store_client> client = client_;
  cooling_sharing::ends sent = cooling_.take_noted();
  const store_client::commands make = [this, &sent, what](const script_names& scripts) {
    const store_names::cooling lengths = cooling_sharing::lengths(sent, std::chrono::steady_clock::now());
    std::vector<store_command> all{names_.cool(scripts, lengths)};
    if (what == work::all) all.push_back(names_.live(scripts, gateway_));
    return all;
  };
  const auto said = co_await client->call(make);
  if (!said) {
    cooling_.return_noted(std::move(sent));
    co_return;
  }
  if (client != client_) co_return;
  const auto heard = cooling_in(said->front());
  if (heard && cooling_.take(*heard, std::chrono::steady_clock::now())) how_.on_cooling();
  if (what != work::all) co_return;
  if (const auto count = said->back().number(); count && *count > 0)
    facts_.replicas = static_cast<std::uint64_t>(*count);
}

// Returns false if the store's user lacks the right to read or write speeds. The gateway then does not try again until
// a new configuration of the store is applied. A lost reply does no harm, because the gateway repeats the read or write
// later. Any other error affects only one key in the store.
bool store_keeping::takes_speeds(const store_link::replies& said) {
  const auto is_denial = [](const store_reply& each) {
    return each.kind == reply_kind::error && each.text.starts_with("NOPERM");
  };
  if (std::none_of(said.begin(), said.end(), is_denial)) return true;
  rights_.speeds = false;
  spdlog::warn("the store's user has no permission to read and write {}:stats:*: speeds cover this gateway alone",
               settings_.prefix);
  return false;
}

// Shares the measured speeds of targets. If the store's user lacks the necessary rights, the gateway does not try
// again, because limits and budgets work without shared speeds.
asio::awaitable<void> store_keeping::share_speeds() {
  const std::shared_ptr<store_client> client = client_;
  if (!client || client->is_away() || !rights_.speeds) co_return;
  const racing::wall_time now = ways_.wall();
  if (const speed_sharing::post* post = speeds_.due(now)) {
    auto commands = names_.write_speeds(post->quarter, gateway_, post->bytes, speed_sharing::life);
    const auto said = co_await client->call(std::move(commands), store_client::denial_rule::reply);
    if (!said || client != client_ || !takes_speeds(*said)) co_return;
    speeds_.written();
  }
  for (const std::int64_t quarter : speeds_.to_read(now)) {
    std::vector<store_command> commands{names_.read_speeds(quarter)};
    const auto said = co_await client->call(std::move(commands), store_client::denial_rule::reply);
    if (!said || client != client_ || !takes_speeds(*said)) co_return;
    const racing::wall_time wall = ways_.wall();
    std::uint64_t& refused = facts_.errors[static_cast<std::size_t>(store_error::protocol)];
    for (const speed_sharing::learned& each : speeds_.heard(quarter, said->front(), wall, refused)) {
      // The statistics leave out speeds from before this gateway's start. An earlier process of this gateway may have
      // measured these speeds.
      if (!each.is_old) ways_.on_figures(each);
      for (const auto& step : speeds_.steps_of(each, wall, std::chrono::steady_clock::now())) ways_.on_step(step);
    }
  }
}

// Asks the other gateways if they can reach their providers, and answers their questions. If the store's user lacks the
// necessary rights, the gateway does not try again.
asio::awaitable<void> store_keeping::share_egress() {
  const std::shared_ptr<store_client> client = client_;
  if (!client || client->is_away() || egress_ == nullptr || !rights_.egress) co_return;
  const std::string answer = egress_->take_answer();
  std::vector<store_command> commands = names_.share_egress(egress_->asks() ? gateway_ : std::string(), answer);
  const auto said = co_await client->call(std::move(commands), store_client::denial_rule::reply);
  if (client != client_) co_return;
  const auto is_error = [](const store_reply& each) { return each.kind == reply_kind::error; };
  const bool is_denied = !said && client->trouble().starts_with("permission");
  if (!said && !is_denied) co_return;
  if (is_denied || std::any_of(said->begin(), said->end(), is_error)) {
    rights_.egress = false;
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
  if (prefixes_) co_await prefixes_->stop();
  const std::shared_ptr<store_client> client = client_;
  if (client) {
    if (!client->is_away()) co_await spend_.share();
    std::vector<store_command> leave{names_.leave(gateway_)};
    if (!client->is_away()) co_await client->call(std::move(leave));
    client->cancel();
  }
  spend_.save_rest();
  if (network_) network_->stop();
}

}  // namespace photofinish::gateway
