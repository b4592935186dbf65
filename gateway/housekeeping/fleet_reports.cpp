#include "gateway/housekeeping/fleet_reports.hpp"

#include "gateway/access/fingerprints.hpp"
#include "gateway/housekeeping/advice_reports.hpp"
#include "gateway/housekeeping/score_keeping.hpp"
#include "gateway/housekeeping/shared/fleet_keeping.hpp"
#include "gateway/housekeeping/shared/fleet_races.hpp"
#include "gateway/housekeeping/stats_page.hpp"
#include "gateway/housekeeping/stores/forecast_store.hpp"
#include "gateway/housekeeping/stores/usage_keeping.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

constexpr std::size_t page_races = 200;  // the maximum number of races that one gateway's list contains

// Makes the page of the newest races. If the page would be too long for the store, it contains fewer races.
std::string bounded_races_page(std::vector<std::shared_ptr<const race_receipt>> newest) {
  std::string page = races_page(newest);
  while (page.size() > fleet_query_commands::longest_answer && !newest.empty()) {
    newest.resize(newest.size() / 2);
    page = races_page(newest);
  }
  return page;
}

}  // namespace

fleet_reports::fleet_reports(sources from) : from_(std::move(from)) { answer_others(); }

// Returns the fingerprint of the caller whose races the requester may see. Returns nothing if the requester may see the
// races of all callers.
template <class Asked>
fleet_reports::caller_filter fleet_reports::print_of(const Asked& asked) const {
  caller_filter print;
  if (!asked.sees_all) print = caller_print(asked.caller, receipt_salt_.load(std::memory_order_relaxed));
  return print;
}

void fleet_reports::answer_others() {
  fleet_ways ways;
  ways.usage = [this]() -> usage_keeping& {
    from_.usage.drain();
    return from_.usage;
  };
  ways.now = [this] { return from_.house.seconds(); };
  ways.receipt = [this](const fleet_question& asked) {
    from_.speeds.drain();
    const auto found = from_.speeds.receipts().find(asked.receipt, print_of(asked));
    return found ? receipt_page(*found) : std::string();
  };
  ways.answer = [this](const fleet_query& asked) { return answer(asked); };
  from_.fleet.watch(std::move(ways));
}

std::string fleet_reports::answer(const fleet_query& asked) {
  if (asked.kind == query_kind::stats) {
    from_.scores.judge();
    // Gateways ask only for reports about the last 15 minutes or the last 24 hours. Any other period is ignored,
    // because the report about each period is cached. The answer is then the report about all stored statistics.
    window_length since;
    for (const std::chrono::minutes known : {std::chrono::minutes(15), std::chrono::minutes(24 * 60)})
      if (asked.window == known) since = known;
    return stats_answer(*from_.scores.figures().own_report(from_.house.now(), since));
  }
  if (asked.kind == query_kind::races) {
    from_.speeds.drain();
    return bounded_races_page(from_.speeds.receipts().newest(print_of(asked), std::min(asked.count, page_races)));
  }
  return from_.advice.own_records();
}

fleet_reports::reply<fleet_stats> fleet_reports::read_stats(std::string gateway, window_length since,
                                                            std::string caller) {
  from_.scores.judge();
  statistics& figures = from_.scores.figures();
  const auto made = std::make_shared<fleet_stats>();
  if (gateway.empty()) {
    made->scope = from_.fleet.members().scope();
    made->report = figures.report(from_.house.now(), since);
    co_return made;
  }
  fleet_query query{.kind = query_kind::stats, .gateway = gateway, .caller = std::move(caller)};
  if (since) query.window = std::chrono::floor<std::chrono::seconds>(*since);
  fleet_answers answers = co_await from_.fleet.ask(std::move(query));
  made->scope = std::move(answers.scope);
  if (gateway == from_.fleet.members().name()) made->report = figures.own_report(from_.house.now(), since);
  else if (!answers.pages.empty()) made->answer = std::move(answers.pages.front().second);
  co_return made;
}

// Waits until the pause after the previous report has ended. The pause is four times as long as that report took, so
// that reports use at most a fifth of this thread's time. However, it lasts at most a second, because a report may
// spend most of its time waiting for the store.
fleet_reports::reply<usage_report> fleet_reports::read_usage(usage_query wanted) {
  constexpr int others_share = 4;
  constexpr std::chrono::steady_clock::duration longest_rest = std::chrono::seconds(1);
  while (std::chrono::steady_clock::now() < next_usage_report_ && !from_.house.is_stopping())
    co_await pause_for(from_.house.context(), next_usage_report_ - std::chrono::steady_clock::now());
  const auto begun = std::chrono::steady_clock::now();
  from_.usage.drain();
  usage_report made = co_await from_.fleet.usage().report(std::move(wanted));
  const auto ended = std::chrono::steady_clock::now();
  next_usage_report_ = ended + std::min(others_share * (ended - begun), longest_rest);
  co_return std::make_shared<const usage_report>(std::move(made));
}

fleet_reports::reply<race_receipt> fleet_reports::find_receipt(std::string id, caller_filter caller) {
  from_.speeds.drain();
  co_return from_.speeds.receipts().find(id, caller);
}

asio::awaitable<fleet_receipt> fleet_reports::receipt_elsewhere(std::string id, std::string caller, bool sees_all) {
  return from_.house.ask(from_.fleet.receipt(std::move(id), std::move(caller), sees_all));
}

fleet_reports::reply<fleet_races> fleet_reports::races(fleet_query wanted, caller_filter caller) {
  return from_.house.ask(list_races(std::move(wanted), caller));
}

fleet_reports::reply<fleet_races> fleet_reports::list_races(fleet_query wanted, caller_filter caller) {
  const auto made = std::make_shared<fleet_races>();
  made->gateway = from_.fleet.members().name();
  made->count = wanted.count;
  if (wanted.gateway.empty() || wanted.gateway == made->gateway) {
    from_.speeds.drain();
    made->own = from_.speeds.receipts().newest(caller, wanted.count);
  }
  made->others = co_await from_.fleet.ask(std::move(wanted));
  co_return made;
}

}  // namespace photofinish::gateway
