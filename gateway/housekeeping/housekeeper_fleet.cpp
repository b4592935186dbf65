// The housekeeper, continued: answers that cover all gateways on a store, or another one of them.
#include "gateway/access/fingerprints.hpp"
#include "gateway/advice/advised_routes.hpp"
#include "gateway/housekeeping/housekeeper.hpp"
#include "gateway/housekeeping/kept/statistics.hpp"
#include "gateway/housekeeping/shared/fleet_races.hpp"
#include "gateway/housekeeping/stats_page.hpp"
#include "gateway/housekeeping/shared/store_keeping.hpp"
#include "racing/advice/merged_records.hpp"
#include "racing/advice/records_codec.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds advice_age{60}, lone_advice_age{5};
constexpr std::chrono::milliseconds advice_pause{20};
constexpr std::chrono::milliseconds figures_patience{2'500}, look_again{20};  // for figures of another gateway
constexpr std::size_t most_known_advice = 8;  // gateways that advice is kept for
constexpr std::size_t most_listed = 200;      // races of one gateway in a list

// The mark is set while this lives.
class advising_mark {
 public:
  explicit advising_mark(bool& mark) : mark_(mark) { mark_ = true; }
  ~advising_mark() { mark_ = false; }
  advising_mark(const advising_mark&) = delete;
  advising_mark& operator=(const advising_mark&) = delete;

 private:
  bool& mark_;
};

// Fewer races if the page would be too long for the store.
std::string bounded_races_page(std::vector<std::shared_ptr<const race_receipt>> newest) {
  std::string page = races_page(newest);
  while (page.size() > fleet_query_commands::longest_answer && !newest.empty()) {
    newest.resize(newest.size() / 2);
    page = races_page(newest);
  }
  return page;
}

// Records of other gateways are untrusted: those that cannot be read are left out.
void merge_pages(racing::speed_records& into, const std::vector<std::pair<std::string, std::string>>& pages) {
  for (const auto& [name, page] : pages) {
    auto decoded = racing::decode_advice(page);
    if (const auto* records = std::get_if<racing::speed_records>(&decoded)) racing::merge(into, *records);
  }
}

}  // namespace

void housekeeper::watch_fleet() {
  fleet_ways ways;
  ways.usage = [this]() -> usage_keeping& {
    usage_.drain();
    return usage_;
  };
  ways.now = [this] { return house_.seconds(); };
  ways.receipt = [this](const fleet_question& asked) {
    speed_.drain();
    std::optional<racing::caller_id> caller;
    if (!asked.sees_all) caller = caller_print(asked.caller, receipt_salt_.load(std::memory_order_relaxed));
    const auto found = speed_.receipts().find(asked.receipt, caller);
    return found ? receipt_page(*found) : std::string();
  };
  ways.answer = [this](const fleet_query& asked) { return answer_query(asked); };
  store_->fleet().watch(std::move(ways));
}

std::string housekeeper::answer_query(const fleet_query& asked) {
  if (asked.kind == query_kind::stats) {
    judge();
    // Other windows are not of a gateway, and a report of each would be kept.
    std::optional<std::chrono::milliseconds> since;
    for (const std::chrono::minutes known : {std::chrono::minutes(15), std::chrono::minutes(24 * 60)})
      if (asked.window == known) since = known;
    return stats_answer(*statistics_->own_report(house_.now(), since));
  }
  if (asked.kind == query_kind::races) {
    speed_.drain();
    std::optional<racing::caller_id> caller;
    if (!asked.sees_all) caller = caller_print(asked.caller, receipt_salt_.load(std::memory_order_relaxed));
    return bounded_races_page(speed_.receipts().newest(caller, std::min(asked.count, most_listed)));
  }
  advice_.tick();
  racing::speed_records records = advice_.records();
  racing::drop_until_fit(records, fleet_query_commands::longest_answer);
  return racing::encode(records);
}

asio::awaitable<fleet_receipt> housekeeper::receipt_elsewhere(std::string id, std::string caller, bool sees_all) {
  auto asked = [this, id = std::move(id), caller = std::move(caller), sees_all]() mutable {
    return store_->fleet().receipt(std::move(id), std::move(caller), sees_all);
  };
  return asio::co_spawn(loop_, std::move(asked), asio::use_awaitable);
}

asio::awaitable<std::shared_ptr<const fleet_stats>> housekeeper::stats(
    std::string gateway, std::optional<std::chrono::milliseconds> since, std::string caller) {
  return asio::co_spawn(loop_, report(std::move(gateway), since, std::move(caller)), asio::use_awaitable);
}

asio::awaitable<std::shared_ptr<const fleet_stats>> housekeeper::report(
    std::string gateway, std::optional<std::chrono::milliseconds> since, std::string caller) {
  judge();
  const auto made = std::make_shared<fleet_stats>();
  if (gateway.empty()) {
    made->scope = store_->fleet().scope();
    made->report = since ? statistics_->report(house_.now(), *since) : statistics_->report(house_.now());
    co_return made;
  }
  fleet_query query{.kind = query_kind::stats, .gateway = gateway, .caller = std::move(caller)};
  if (since) query.window = std::chrono::floor<std::chrono::seconds>(*since);
  fleet_answers answers = co_await store_->fleet().ask(std::move(query));
  made->scope = std::move(answers.scope);
  if (gateway == store_->fleet().name()) made->report = statistics_->own_report(house_.now(), since);
  else if (!answers.pages.empty()) made->answer = std::move(answers.pages.front().second);
  co_return made;
}

asio::awaitable<std::shared_ptr<const fleet_races>> housekeeper::races(fleet_query wanted,
                                                                       std::optional<racing::caller_id> caller) {
  return asio::co_spawn(loop_, list_races(std::move(wanted), caller), asio::use_awaitable);
}

asio::awaitable<std::shared_ptr<const fleet_races>> housekeeper::list_races(fleet_query wanted,
                                                                            std::optional<racing::caller_id> caller) {
  const auto made = std::make_shared<fleet_races>();
  made->gateway = store_->fleet().name();
  made->count = wanted.count;
  if (wanted.gateway.empty() || wanted.gateway == made->gateway) {
    speed_.drain();
    made->own = speed_.receipts().newest(caller, wanted.count);
  }
  made->others = co_await store_->fleet().ask(std::move(wanted));
  co_return made;
}

asio::awaitable<std::shared_ptr<const advice_report>> housekeeper::advice(std::shared_ptr<const config> settings,
                                                                          std::string gateway) {
  return asio::co_spawn(loop_, advise(std::move(settings), std::move(gateway)), asio::use_awaitable);
}

const advice_report* housekeeper::known_advice(const std::shared_ptr<const config>& settings,
                                               const std::string& gateway, racing::wall_time now) const {
  const auto found = last_advice_.find(gateway);
  if (found == last_advice_.end() || found->second.settings != settings) return nullptr;
  const advice_report& last = *found->second.report;
  const auto age = now - last.as_of;
  const bool is_old = age >= (last.scope.note.empty() ? advice_age : lone_advice_age);
  return is_old || now < last.as_of ? nullptr : &last;
}

// Computes one report at a time: a request that comes meanwhile gets the same report, or waits.
asio::awaitable<std::shared_ptr<const advice_report>> housekeeper::advise(std::shared_ptr<const config> settings,
                                                                          std::string gateway) {
  boost::system::error_code ec;
  asio::steady_timer pause(loop_);
  while (is_advising_) {
    pause.expires_after(advice_pause);
    co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, ec));
  }
  const racing::wall_time now = house_.now();
  if (known_advice(settings, gateway, now) != nullptr) co_return last_advice_[gateway].report;
  const advising_mark busy(is_advising_);
  fleet_query query{.kind = query_kind::advice, .gateway = gateway};
  query.sees_all = true;
  fleet_answers said = co_await store_->fleet().ask(std::move(query));
  const auto answers = std::make_shared<fleet_answers>(std::move(said));
  const auto made = std::make_shared<advice_report>();
  made->as_of = now;
  made->scope = std::move(answers->scope);
  const bool has_own = gateway.empty() || gateway == store_->fleet().name();
  if (!has_own && answers->pages.empty()) co_return made;
  const auto records = std::make_shared<racing::speed_records>();
  if (has_own) {
    advice_.tick();
    *records = advice_.records();
  }
  std::function<void()> work = [settings, records, answers, made, now] {
    merge_pages(*records, answers->pages);
    for (const racing::advised_route& each : advised_routes(settings, std::chrono::floor<std::chrono::seconds>(now)))
      if (auto given = racing::advise(*records, each)) made->routes.push_back(std::move(*given));
  };
  co_await counting_.run(std::move(work), loop_.get_executor());
  if (last_advice_.size() >= most_known_advice) last_advice_.clear();
  last_advice_[gateway] = {settings, made};
  co_return made;
}

asio::awaitable<std::shared_ptr<const std::string>> housekeeper::feed(std::uint64_t since, std::string gateway) {
  return asio::co_spawn(loop_, live_text(since, std::move(gateway)), asio::use_awaitable);
}

asio::awaitable<std::shared_ptr<const std::string>> housekeeper::live_text(std::uint64_t since, std::string gateway) {
  if (!gateway.empty() && !store_->fleet().knows(gateway)) co_return nullptr;
  if (!gateway.empty() && !store_->fleet().can_ask(gateway)) co_return std::make_shared<const std::string>();
  const racing::instant last = std::chrono::steady_clock::now() + figures_patience;
  if (live_.ask(std::chrono::steady_clock::now(), gateway)) {
    live_.open(workers_);
    tick_live();
  }
  boost::system::error_code ec;
  asio::steady_timer pause(loop_);
  while (!live_.has_figures_of(gateway) && std::chrono::steady_clock::now() < last && !house_.is_stopping()) {
    pause.expires_after(look_again);
    co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, ec));
  }
  if (!live_.has_figures_of(gateway)) co_return std::make_shared<const std::string>();
  co_return live_.text(since, gateway);
}

void housekeeper::tick_live() {
  fleet_keeping& fleet = store_->fleet();
  const bool is_watched = fleet.figures().is_watched();
  fleet.figures().watch(live_.is_open());
  if (!live_.is_open() && !is_watched && live_.shared_text().empty()) return;
  const racing::instant now = std::chrono::steady_clock::now();
  live_keeping::sources all{version_, started_at_, cooling(now), speed_.budgets(), speed_.board()};
  all.is_watched = is_watched;
  if (live_.is_open()) {
    all.scope = fleet.scope_of_figures();
    all.others = fleet.other_figures();
  }
  const bool is_needed = live_.tick(now, all);
  fleet.figures().watch(live_.is_open());
  if (is_needed) fleet.figures().write_figures(live_.shared_text());
}

}  // namespace photofinish::gateway
