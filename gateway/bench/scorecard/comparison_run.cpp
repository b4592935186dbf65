#include "gateway/bench/scorecard/comparison_run.hpp"

#include "gateway/bench/scorecard/turn_line.hpp"
#include "proxy/loop/spawn.hpp"
#include "proxy/providers/catalogue.hpp"
#include "proxy/providers/url.hpp"

#include <chrono>
#include <csignal>
#include <iterator>
#include <utility>

namespace photofinish::gateway::bench {

namespace asio = boost::asio;

// The data that the comparison keeps about one endpoint during the whole run.
struct comparison_run::lane {
  lane(std::size_t at, compared_endpoint what, bench_plan how)
      : number(at), who(std::move(what)), plan(std::move(how)) {}

  std::size_t number;
  compared_endpoint who;
  bench_plan plan;
  std::optional<first_contact> contact;
  std::optional<load_driver> driver;

  std::string name() const { return letter_of(number) + ": "; }
};

comparison_run::comparison_run(comparison_setup setup) : setup_(std::move(setup)) {
  card_.version = setup_.version;
  card_.plan = setup_.plan;
  card_.traffic = setup_.traffic;
  const std::size_t count = setup_.endpoints.size();
  for (std::size_t i = 0; i < count; ++i) {
    bench_plan plan = setup_.plan.common;
    // Gives each endpoint a different seed, so that no endpoint gets a prompt that another endpoint has cached.
    plan.seed = mixed_seed(plan.seed, i);
    lanes_.emplace_back(i, std::move(setup_.endpoints[i]), std::move(plan));
  }
  for (std::size_t size = 0; size < setup_.plan.input_tokens.size(); ++size)
    for (std::size_t i = 0; i < count; ++i)
      cells_.push_back({.endpoint = i, .size = size, .records = {}, .given_up = {}});
}

comparison_run::~comparison_run() = default;

void comparison_run::run() {
  signals_.add(SIGINT);
  signals_.add(SIGTERM);
  signals_.async_wait([this](const boost::system::error_code& ec, int signal) {
    if (!ec) interrupt(signal);
  });
  proxy::spawn(loop_, "a comparison", all(), [this](const std::exception_ptr& bug) { bug_ = bug; });
  loop_.run();
  if (bug_) std::rethrow_exception(bug_);
}

void comparison_run::interrupt(int signal) {
  is_interrupted_ = true;
  interrupted_by_ = signal;
  signals_.clear();  // removes the signal handler, so that a second signal ends the process
  for (lane& each : lanes_) {
    if (each.contact) each.contact->cancel();
    if (each.driver) each.driver->stop();
  }
}

asio::awaitable<void> comparison_run::all() {
  card_.clock = {std::chrono::system_clock::now(), over_.alarms().now()};
  card_.begun_at = over_.alarms().now();
  for (lane& each : lanes_) co_await meet(each);
  if (is_interrupted_) problems_ = {"interrupted before anything was measured"};
  if (problems_.empty()) co_await measure();
  for (lane& each : lanes_) each.contact.reset();
  signals_.cancel();
  co_await over_.stop();
}

// Prepares an endpoint before the load starts: finds its model and its price, and sends one request, so that errors
// appear early.
asio::awaitable<void> comparison_run::meet(lane& each) {
  if (is_interrupted_) co_return;
  each.contact.emplace(over_, each.who.to, each.plan.timeout);
  each.who.model = co_await each.contact->choose_model(each.who.model);
  if (is_interrupted_) co_return;
  const bool has_price = each.contact->problem().empty() && find_prices(each);
  if (has_price) {
    request_context how;
    how.traits = {each.who.to, each.who.model, each.plan.mode, each.plan.max_tokens, each.plan.extra_members};
    how.timeout = each.plan.timeout;
    how.count_tokens = setup_.count_tokens;
    each.plan.input_tokens = warmup_tokens();
    each.driver.emplace(loop_, over_, each.plan, std::move(how), &spent_);
    const request_record tried = co_await each.driver->probe();
    if (is_interrupted_) co_return;
    each.contact->may_go_on(tried, each.who.model);
  }
  if (!each.contact->problem().empty()) problems_.push_back(each.name() + each.contact->problem());
  if (!each.contact->warning().empty()) warnings_.push_back(each.name() + each.contact->warning());
}

bool comparison_run::find_prices(lane& each) {
  card_endpoint shown{.url = proxy::to_string(each.who.to.provider.url), .model = each.who.model};
  shown.prices = each.who.prices;
  shown.origin = shown.prices ? price_origin::given : price_origin::unknown;
  if (!shown.prices) {
    if (const auto* known = proxy::built_in_prices(each.who.to.provider.preset, each.who.model)) {
      shown.prices = *known;
      shown.origin = price_origin::list;
    }
  }
  each.plan.spending.prices = shown.prices;
  const bool is_missing = each.plan.spending.max_cost_usd && !shown.prices;
  if (is_missing)
    problems_.push_back(each.name() + "--max-cost: the price of " + each.who.model +
                        " is unknown. Give --price-in and --price-out for each URL, in USD per million tokens, or "
                        "limit the tokens with --max-tokens-total");
  card_.endpoints.push_back(std::move(shown));
  return !is_missing;
}

asio::awaitable<void> comparison_run::measure() {
  const proxy::instant begun_at = over_.alarms().now();
  turn_line shown(setup_.plan);
  for (lane& each : lanes_) co_await warm_up(each);
  for (std::size_t round = 0; round < setup_.plan.rounds; ++round) {
    if (is_over(begun_at)) break;
    const std::vector<turn> turns = turns_of(setup_.plan, lanes_.size(), round);
    for (const turn& next : turns) {
      shown.begin(round, next);
      co_await play(next, round);
      if (card_.end != level_end::complete) break;
    }
    if (card_.end != level_end::complete) break;
    ++card_.rounds;
  }
  shown.clear();
  card_.ended_at = over_.alarms().now();
  finish();
}

bool comparison_run::is_over(proxy::instant begun_at) {
  if (is_interrupted_) card_.end = level_end::interrupted;
  const auto& duration = setup_.plan.common.duration;
  const bool is_late = duration && over_.alarms().now() - begun_at >= *duration;
  if (is_late && card_.end == level_end::complete) card_.end = level_end::duration;
  return card_.end != level_end::complete;
}

// Warms up an endpoint: opens as many connections as the comparison will use at the same time.
asio::awaitable<void> comparison_run::warm_up(lane& each) {
  level_result ignored{.level = each.plan.levels.front()};
  ignored.level.requests = ignored.level.warmup;
  if (is_interrupted_) co_return;
  co_await each.driver->warm_up(ignored);
}

// Returns the size of the prompts that are generated for warm-up requests, in tokens.
std::size_t comparison_run::warmup_tokens() const {
  const std::size_t least = setup_.plan.input_tokens.front();
  return least == own_prompts ? setup_.plan.common.input_tokens : least;
}

asio::awaitable<void> comparison_run::play(const turn& next, std::size_t round) {
  measured_cell& cell = cell_of(next);
  if (!cell.given_up.empty()) co_return;
  lane& each = *std::next(lanes_.begin(), static_cast<std::ptrdiff_t>(next.endpoint));
  level_result got{.level = each.plan.levels.front()};
  got.level.requests = next.requests;
  co_await each.driver->turn(got, setup_.plan.input_tokens[next.size]);
  if (got.end != level_end::complete) card_.end = got.end;
  for (request_record& record : got.records) {
    record.round = round;
    cell.records.push_back(std::move(record));
  }
  cell.given_up = why_give_up(cell.records);
}

void comparison_run::finish() {
  std::size_t i = 0;
  for (const lane& each : lanes_) {
    card_.endpoints[i].used = each.driver->spending().used();
    card_.endpoints[i].cost_usd = each.driver->spending().cost_usd();
    ++i;
  }
  fill(card_, cells_);
}

}  // namespace photofinish::gateway::bench
