#include "gateway/housekeeping/housekeeper.hpp"

#include "gateway/housekeeping/exports/alert_sender.hpp"
#include "gateway/housekeeping/content_keeping.hpp"
#include "gateway/housekeeping/counted_text.hpp"
#include "gateway/housekeeping/credential_network.hpp"
#include "gateway/housekeeping/egress/egress_keeping.hpp"
#include "gateway/housekeeping/kept/statistics.hpp"
#include "gateway/housekeeping/shared/store_keeping.hpp"
#include "gateway/housekeeping/exports/trace_keeping.hpp"
#include "gateway/records/price_book.hpp"
#include "metrics/merged_families.hpp"
#include "proxy/loop/spawn.hpp"
#include "proxy/tokens/byte_pairs.hpp"
#include "proxy/tokens/token_counter.hpp"
#include "racing/statistics/stats_report.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <spdlog/spdlog.h>

#include <chrono>
#include <ctime>
#include <memory>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {
constexpr std::size_t max_uncounted_bytes = 8u << 20;  // of all workers, waiting to be counted

// A ring this full is emptied before the next tick.
constexpr std::size_t urgent_fill = 256;

racing::wall_time wall_clock() {
  return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

// Teams and routes come first; with thousands of keys a page of each would be too long.
void show_budgets(metrics::merged_families& page, const limit_table& limits) {
  std::size_t room = 1000;
  for (const limit_table::budget& each : limits.budgets()) {
    if (!metrics::is_label_value(each.name)) continue;
    if (room-- == 0) return;
    const std::string_view scope = to_string(each.scope);
    page.add(metrics::names::budget_usd, {scope, each.name}, static_cast<double>(each.nano_usd) / 1e9);
    page.add(metrics::names::budget_spend_usd, {scope, each.name}, static_cast<double>(each.spent_nano_usd) / 1e9);
  }
}

// Unlike the steady clock it counts on while the machine sleeps.
racing::instant counting_clock() {
  timespec since_boot{};
  if (::clock_gettime(CLOCK_BOOTTIME, &since_boot) != 0) return std::chrono::steady_clock::now();
  return racing::instant(std::chrono::seconds(since_boot.tv_sec) + std::chrono::nanoseconds(since_boot.tv_nsec));
}

}  // namespace

housekeeper::housekeeper(metrics::build_facts build, std::vector<const metrics::shard*> shards,
                         std::size_t workers, publish on_scoreboard, housekeeping how, publish_speed on_speed,
                         publish_credentials on_credentials, publish_key_sets on_key_sets)
    : how_(std::move(how)),
      version_(build.version),
      started_at_(std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now())),
      counting_(how_.before_counting),
      parsing_(how_.before_parsing),
      exposition_(std::move(build), shards),
      statistics_(std::make_unique<statistics>(how_, clock_.read(wall_clock(), counting_clock()).now)),
      regressions_(how_.regressions),
      alerts_(std::make_unique<alert_sender>(loop_)),
      credentials_(std::make_unique<credential_network>(loop_, std::move(on_credentials), std::move(on_key_sets))),
      audit_(version_),
      store_(std::make_unique<store_keeping>(
          loop_, store_surroundings{how_.state_dir, how_.tick, [this] { return wall_seconds(); },
                                    [this] { publish_scoreboard(std::chrono::steady_clock::now()); }})),
      egress_(std::make_unique<egress_keeping>(loop_, store_->gateway(), how_.tick)),
      traces_(std::make_unique<trace_keeping>(loop_, workers, version_)),
      content_(std::make_unique<content_keeping>(workers)),
      on_scoreboard_(std::move(on_scoreboard)),
      live_(std::move(shards)),
      speed_(workers, std::move(on_speed), [this](const auto& seen) { live_.put(seen); }),
      advice_(how_, workers, clock_.read(wall_clock(), counting_clock()).now),
      usage_(how_.state_dir, workers, started_at_),
      tick_(loop_) {
  exposition_.watch([this](metrics::merged_families& page) {
    for (const metrics::speculation_facts& each : speed_.budgets()) {
      page.add(metrics::names::max_extra_cost, {each.route}, each.max_extra_cost);
      page.add(metrics::names::budget_fill, {each.route}, each.fill);
    }
    if (limits_) show_budgets(page, *limits_);
  });
  watch_outside();
  for (std::size_t index = 0; index < workers; ++index) rings_.push_back(std::make_unique<sample_ring>());
  proxy::spawn_vital(loop_, "the housekeeper", tend(), [] {});
  thread_ = std::thread([this] { loop_.run(); });
}

housekeeper::~housekeeper() {
  asio::post(loop_, [this] {
    is_stopping_ = true;
    tick_.cancel();
  });
  thread_.join();
}

asio::awaitable<metrics::rendered_page> housekeeper::metrics_page(bool takes_open_metrics) {
  return asio::co_spawn(loop_, render(takes_open_metrics), asio::use_awaitable);
}

asio::awaitable<metrics::rendered_page> housekeeper::render(bool takes_open_metrics) {
  traces_->drain();
  co_return exposition_.page(takes_open_metrics, traces_->exemplars());
}

void housekeeper::note(std::size_t worker, noted_attempt sample) {
  sample_ring& ring = *rings_[worker];
  const bool is_urgent = (sample.verdict && sample.verdict->failed) || ring.size() >= urgent_fill;
  ring.push(std::move(sample));  // full: the housekeeper is behind, and one sample more says little
  if (!is_urgent || is_judging_posted_.exchange(true, std::memory_order_acq_rel)) return;
  asio::post(loop_, [this] { judge(); });
}

void housekeeper::note(std::size_t worker, used_share share) {
  if (!usage_.note(worker, share))
    return asio::post(loop_, [this, share = std::move(share)] { usage_.add(share, wall_seconds()); });
  if (!usage_.is_urgent(worker) || is_usage_posted_.exchange(true, std::memory_order_acq_rel)) return;
  asio::post(loop_, [this] {
    is_usage_posted_.exchange(false, std::memory_order_acq_rel);
    usage_.drain(wall_seconds());
  });
}

asio::awaitable<std::shared_ptr<const usage_report>> housekeeper::usage(usage_query wanted) {
  return asio::co_spawn(loop_, report_usage(std::move(wanted)), asio::use_awaitable);
}

// Reports in a loop take a fifth of this thread at most. A report that waits for the store does not use the thread all
// that time, so the pause is bounded.
asio::awaitable<std::shared_ptr<const usage_report>> housekeeper::report_usage(usage_query wanted) {
  constexpr int others_share = 4;
  constexpr std::chrono::steady_clock::duration longest_rest = std::chrono::seconds(1);
  boost::system::error_code ec;
  asio::steady_timer pause(loop_);
  while (std::chrono::steady_clock::now() < next_usage_report_ && !is_stopping_) {
    pause.expires_at(next_usage_report_);
    co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, ec));
  }
  const auto begun = std::chrono::steady_clock::now();
  usage_.drain(wall_seconds());
  usage_report made = co_await store_->fleet().usage(std::move(wanted));
  const auto ended = std::chrono::steady_clock::now();
  next_usage_report_ = ended + std::min(others_share * (ended - begun), longest_rest);
  co_return std::make_shared<const usage_report>(std::move(made));
}

asio::awaitable<std::shared_ptr<const race_receipt>> housekeeper::receipt(std::string id,
                                                                          std::optional<racing::caller_id> caller) {
  return asio::co_spawn(loop_, find_receipt(std::move(id), caller), asio::use_awaitable);
}

asio::awaitable<std::shared_ptr<const race_receipt>> housekeeper::find_receipt(
    std::string id, std::optional<racing::caller_id> caller) {
  speed_.drain();
  co_return speed_.receipts().find(id, caller);
}

void housekeeper::note(std::size_t worker, const racing::attempt_event& step) {
  if (speed_.note(worker, step)) drain_soon();
}

void housekeeper::note(std::size_t worker, std::shared_ptr<race_receipt> receipt) {
  const bool is_taken = speed_.note(worker, receipt);
  if (is_taken && speed_.has_many_receipts(worker)) drain_soon();
  if (!is_taken && receipt->is_summed())
    asio::post(loop_, [this, receipt = std::move(receipt)]() mutable { speed_.keep(std::move(receipt)); });
}

void housekeeper::adopt(std::shared_ptr<const config> settings, std::shared_ptr<const limit_table> limits,
                        std::string own_url) {
  asio::post(loop_, [this, settings = std::move(settings), limits = std::move(limits), own_url = std::move(own_url)] {
    limits_ = limits;
    turn_windows();
    audit_.adopt(settings, wall_clock());
    content_->adopt(settings->content_log, wall_clock());
    store_->adopt(*settings, limits_);
    egress_->adopt(*settings);
    alerts_->configure(settings->alerts, own_url);
    exposition_.unpriced_targets(unpriced_targets(*settings));
    exposition_.adopt(settings->region, metrics::label_use_of(settings->has_client_label));
    speed_.adopt(*settings);
    credentials_->adopt(*settings);
    traces_->adopt(settings->tracing);
    live_.adopt(settings);
  });
}

bool housekeeper::count_tokens(std::string text, asio::any_io_executor reply_to,
                               std::function<void(std::uint64_t)> counted) {
  auto counting = std::make_shared<counted_text>(uncounted_bytes_, std::move(text));  // both threads hold it
  if (!counting->has_room(max_uncounted_bytes)) return false;
  counting_.run([counting] { counting->count(); }, std::move(reply_to),
                [counted = std::move(counted), counting] { counted(counting->tokens()); });
  return true;
}

asio::awaitable<void> housekeeper::tend() {
  boost::system::error_code ec;
  const racing::instant now = std::chrono::steady_clock::now();
  racing::instant review_at = now, save_at = now + how_.save_every;  // what was kept is shown to the workers at once
  while (!is_stopping_) {
    tick_.expires_after(how_.tick);
    co_await tick_.async_wait(asio::redirect_error(asio::use_awaitable, ec));
    try {
      tick(review_at, save_at);
    } catch (...) {  // without memory now, the next tick may have it
      proxy::report_bug("a tick of the housekeeper", std::current_exception());
    }
  }
  statistics_->close();
  advice_.close();
  usage_.close(wall_seconds());
  audit_.stopped(wall_clock());
  content_->stop(wall_clock());
  co_await egress_->stop();
  co_await store_->stop();
  co_await alerts_->stop();
  co_await credentials_->stop();
  co_await traces_->stop();
}

void housekeeper::tick(racing::instant& review_at, racing::instant& save_at) {
  judge();
  egress_->tick();
  speed_.tick();
  advice_.tick(std::chrono::steady_clock::now(), wall_now());
  tick_live();
  turn_windows();
  look_at_soft_budgets();
  audit_.look_after_file();
  content_->tick(wall_clock());
  usage_.drain(wall_seconds());
  traces_->tick();
  const racing::instant now = std::chrono::steady_clock::now();
  if (now >= review_at) {
    review();
    review_at = now + how_.review_every;
  }
  if (now >= save_at) {
    statistics_->save();
    advice_.save();
    usage_.save(wall_seconds());
    save_at = now + how_.save_every;
  }
}

racing::wall_time housekeeper::wall_now() {
  const racing::wall_reading read = clock_.read(wall_clock(), counting_clock());
  if (read.jumped.count() != 0)
    spdlog::warn("the machine's clock has jumped by {} s; statistics follow it once it has been steady for {} minutes",
                 std::chrono::round<std::chrono::seconds>(read.jumped).count(),
                 std::chrono::floor<std::chrono::minutes>(racing::steady_wall::settling).count());
  if (read.shift.count() != 0) {
    statistics_->shift(read.shift);
    advice_.shift(read.shift);
    regressions_.shift(read.shift);
  }
  return read.now;
}

void housekeeper::judge() {
  // An exchange, not a store: a store may be seen after the pops below, and then a worker that finds `true` counts
  // on a judgement that has already looked into its ring.
  is_judging_posted_.exchange(false, std::memory_order_acq_rel);
  const racing::instant now = std::chrono::steady_clock::now();
  const racing::wall_time wall = wall_now();
  bool has_changed = false;
  for (auto& each : rings_)
    while (auto sample = each->pop()) {
      if (sample->verdict) egress_->note(sample->verdict->failed);
      if (sample->verdict && cooldowns_.note(*sample->verdict, now)) {
        has_changed = true;
        store_->note(*sample->verdict);
      }
      if (!sample->measured.says_something()) continue;
      statistics_->note(sample->measured, wall);
      store_->note(sample->measured);
    }
  if (has_changed) publish_scoreboard(now);
}

void housekeeper::review() {
  const racing::wall_time now = wall_now();
  statistics_->expire(now);
  advice_.expire(now);
  statistics_->report(now);
  publish_scoreboard(std::chrono::steady_clock::now());
  const auto readings = racing::read_regressions(statistics_->window(), how_.regressions, now);
  const auto changes = regressions_.on(readings, now);
  alerts_->send(changes, regressions_.firing());
}

void housekeeper::publish_scoreboard(racing::instant now) {
  racing::scoreboard board = cooling(now);
  board.stats = statistics_->latest();
  on_scoreboard_(std::make_shared<const racing::scoreboard>(std::move(board)));
}

}  // namespace photofinish::gateway
