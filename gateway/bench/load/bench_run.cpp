#include "gateway/bench/load/bench_run.hpp"

#include "proxy/loop/spawn.hpp"
#include "proxy/providers/url.hpp"

#include <chrono>
#include <csignal>
#include <utility>

namespace photofinish::gateway::bench {

namespace asio = boost::asio;

namespace {

constexpr const char* interrupted_early = "interrupted before anything was measured";

}  // namespace

bench_run::bench_run(bench_setup setup) : setup_(std::move(setup)) {
  report_.url = proxy::to_string(setup_.to.provider.url);
  report_.plan = setup_.plan;
  report_.version = setup_.version;
}

void bench_run::run() {
  signals_.add(SIGINT);
  signals_.add(SIGTERM);
  signals_.async_wait([this](const boost::system::error_code& ec, int signal) {
    if (!ec) interrupt(signal);
  });
  proxy::spawn(loop_, "a benchmark", all(), [this](const std::exception_ptr& bug) { bug_ = bug; });
  loop_.run();
  if (bug_) std::rethrow_exception(bug_);
}

void bench_run::interrupt(int signal) {
  is_interrupted_ = true;
  interrupted_by_ = signal;
  signals_.clear();  // removes the signal handler, so that a second signal ends the process
  if (contact_) contact_->cancel();
  if (driver_) driver_->stop();
}

asio::awaitable<void> bench_run::all() {
  co_await measure();
  bar_.reset();
  contact_.reset();
  signals_.cancel();
  co_await over_.stop();
}

asio::awaitable<void> bench_run::measure() {
  const bool has_model = co_await choose_model();
  if (!has_model) co_return;
  report_.model = setup_.model;
  request_context how;
  how.traits = {setup_.to, setup_.model, setup_.plan.mode, setup_.plan.max_tokens, setup_.plan.extra_members};
  how.timeout = setup_.plan.timeout;
  how.count_tokens = setup_.count_tokens;
  driver_.emplace(loop_, over_, setup_.plan, std::move(how));
  report_.clock = {std::chrono::system_clock::now(), over_.alarms().now()};
  report_.begun_at = over_.alarms().now();
  const bool is_answering = co_await try_one();
  if (!is_answering) co_return;
  bar_.emplace(*driver_, over_.alarms());
  std::function<void(const load_level&)> on_begin = [this](const load_level& level) { bar_->began(level); };
  std::function<void(level_result)> on_level = [this](level_result level) { add_level(std::move(level)); };
  co_await driver_->run(std::move(on_begin), std::move(on_level));
  report_.ended_at = over_.alarms().now();
  report_.used = driver_->spending().used();
  report_.cost_usd = driver_->spending().cost_usd();
}

asio::awaitable<bool> bench_run::choose_model() {
  contact_.emplace(over_, setup_.to, setup_.plan.timeout);
  setup_.model = co_await contact_->choose_model(setup_.model);
  problem_ = is_interrupted_ ? interrupted_early : contact_->problem();
  co_return problem_.empty();
}

asio::awaitable<bool> bench_run::try_one() {
  const request_record tried = co_await driver_->probe();
  if (is_interrupted_) {
    problem_ = interrupted_early;
    co_return false;
  }
  const bool may_go_on = contact_->may_go_on(tried, setup_.model);
  problem_ = contact_->problem();
  if (!contact_->warning().empty()) warnings_.push_back(contact_->warning());
  co_return may_go_on;
}

void bench_run::add_level(level_result level) {
  report_.levels.push_back(report_of(level.level, level.end, level.records, setup_.plan.goodput));
  bar_->ended(report_.levels.back());
  levels_.push_back(std::move(level));
}

}  // namespace photofinish::gateway::bench
