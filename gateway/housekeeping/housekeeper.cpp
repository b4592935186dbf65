#include "gateway/housekeeping/housekeeper.hpp"

#include "gateway/housekeeping/exports/alert_sender.hpp"
#include "gateway/housekeeping/counted_text.hpp"
#include "gateway/housekeeping/credential_network.hpp"
#include "gateway/housekeeping/egress/egress_keeping.hpp"
#include "gateway/housekeeping/kept/statistics.hpp"
#include "gateway/housekeeping/shared/store_keeping.hpp"
#include "gateway/records/price_book.hpp"
#include "metrics/merged_families.hpp"
#include "proxy/tokens/byte_pairs.hpp"
#include "proxy/tokens/token_counter.hpp"
#include "racing/statistics/stats_report.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <spdlog/spdlog.h>

#include <chrono>
#include <memory>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {
constexpr std::size_t max_uncounted_bytes = 8u << 20;  // of all workers, waiting to be counted

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
      statistics_(std::make_unique<statistics>(how_, house_.now())),
      regressions_(how_.regressions),
      alerts_(std::make_unique<alert_sender>(loop_)),
      credentials_(std::make_unique<credential_network>(loop_, std::move(on_credentials), std::move(on_key_sets))),
      audit_(version_),
      store_(std::make_unique<store_keeping>(
          loop_, store_surroundings{how_.state_dir, how_.tick, [this] { return house_.seconds(); },
                                    [this] { publish_scoreboard(std::chrono::steady_clock::now()); }})),
      egress_(std::make_unique<egress_keeping>(loop_, store_->gateway(), how_.tick)),
      traces_(loop_, workers, version_),
      content_(loop_, workers),
      on_scoreboard_(std::move(on_scoreboard)),
      live_(std::move(shards)),
      speed_(loop_, workers, std::move(on_speed), [this](const auto& seen) { live_.put(seen); }),
      advice_(house_, how_, workers),
      usage_(house_, how_.state_dir, workers),
      samples_(loop_, workers, [this] { judge(); }),
      workers_(workers),
      review_at_(std::chrono::steady_clock::now()),  // workers get the stored statistics with the first tick
      save_at_(review_at_ + how_.save_every) {
  house_.watch_shifts([this](std::chrono::milliseconds shift) {
    statistics_->shift(shift);
    advice_.shift(shift);
    regressions_.shift(shift);
  });
  exposition_.watch([this](metrics::merged_families& page) {
    for (const metrics::speculation_facts& each : speed_.budgets()) {
      page.add(metrics::names::max_extra_cost, {each.route}, each.max_extra_cost);
      page.add(metrics::names::budget_fill, {each.route}, each.fill);
    }
    if (limits_) show_budgets(page, *limits_);
  });
  watch_outside();
  house_.start(how_.tick, [this] { tick(); }, [this] { return end(); });
}

housekeeper::~housekeeper() { house_.stop(); }

asio::awaitable<metrics::rendered_page> housekeeper::metrics_page(bool takes_open_metrics) {
  return asio::co_spawn(loop_, render(takes_open_metrics), asio::use_awaitable);
}

asio::awaitable<metrics::rendered_page> housekeeper::render(bool takes_open_metrics) {
  traces_.drain();
  co_return exposition_.page(takes_open_metrics, traces_.exemplars());
}

void housekeeper::note(std::size_t worker, noted_attempt sample) {
  const bool is_failure = sample.verdict && sample.verdict->failed;
  samples_.put(worker, std::move(sample));  // if the ring is full, the sample is lost: one more says little
  if (is_failure) samples_.wake();
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
  while (std::chrono::steady_clock::now() < next_usage_report_ && !house_.is_stopping()) {
    pause.expires_at(next_usage_report_);
    co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, ec));
  }
  const auto begun = std::chrono::steady_clock::now();
  usage_.drain();
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

void housekeeper::adopt(std::shared_ptr<const config> settings, std::shared_ptr<const limit_table> limits,
                        std::string own_url) {
  asio::post(loop_, [this, settings = std::move(settings), limits = std::move(limits), own_url = std::move(own_url)] {
    limits_ = limits;
    turn_windows();
    audit_.adopt(settings, machine_time());
    content_.adopt(settings->content_log, machine_time());
    store_->adopt(*settings, limits_);
    egress_->adopt(*settings);
    alerts_->configure(settings->alerts, own_url);
    exposition_.unpriced_targets(unpriced_targets(*settings));
    exposition_.adopt(settings->region, metrics::label_use_of(settings->has_client_label));
    speed_.adopt(*settings);
    credentials_->adopt(*settings);
    traces_.adopt(settings->tracing);
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

asio::awaitable<void> housekeeper::end() {
  statistics_->close();
  advice_.close();
  usage_.close();
  audit_.stopped(machine_time());
  content_.stop(machine_time());
  co_await egress_->stop();
  co_await store_->stop();
  co_await alerts_->stop();
  co_await credentials_->stop();
  co_await traces_.stop();
}

void housekeeper::tick() {
  judge();
  egress_->tick();
  speed_.tick();
  advice_.tick();
  tick_live();
  turn_windows();
  look_at_soft_budgets();
  audit_.look_after_file();
  content_.tick(machine_time());
  usage_.drain();
  traces_.tick();
  const racing::instant now = std::chrono::steady_clock::now();
  if (now >= review_at_) {
    review();
    review_at_ = now + how_.review_every;
  }
  if (now >= save_at_) {
    statistics_->save();
    advice_.save();
    usage_.save();
    save_at_ = now + how_.save_every;
  }
}

void housekeeper::judge() {
  const racing::instant now = std::chrono::steady_clock::now();
  const racing::wall_time wall = house_.now();
  bool has_changed = false;
  samples_.take([&](const noted_attempt& sample) {
    if (sample.verdict) egress_->note(sample.verdict->failed);
    if (sample.verdict && cooldowns_.note(*sample.verdict, now)) {
      has_changed = true;
      store_->note(*sample.verdict);
    }
    if (!sample.measured.says_something()) return;
    statistics_->note(sample.measured, wall);
    store_->note(sample.measured);
  });
  if (has_changed) publish_scoreboard(now);
}

void housekeeper::review() {
  const racing::wall_time now = house_.now();
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
