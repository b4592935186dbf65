#include "gateway/housekeeping/advice_reports.hpp"

#include "gateway/advice/advised_routes.hpp"
#include "gateway/housekeeping/shared/fleet_keeping.hpp"
#include "gateway/threads/held_value.hpp"
#include "racing/advice/merged_records.hpp"
#include "racing/advice/records_codec.hpp"

#include <chrono>
#include <functional>
#include <variant>
#include <vector>

namespace photofinish::gateway {

namespace {

constexpr std::chrono::seconds advice_age{60}, lone_advice_age{5};
constexpr std::chrono::milliseconds advice_pause{20};
constexpr std::size_t most_known_advice = 8;  // the maximum number of gateways for which advice is cached

// Records from other gateways are untrusted, so records that cannot be decoded are ignored.
void merge_pages(racing::speed_records& into, const std::vector<std::pair<std::string, std::string>>& pages) {
  for (const auto& [name, page] : pages) {
    auto decoded = racing::decode_advice(page);
    if (const auto* records = std::get_if<racing::speed_records>(&decoded)) racing::merge(into, *records);
  }
}

}  // namespace

std::string advice_reports::own_records() {
  races_.tick();
  racing::speed_records records = races_.records();
  racing::drop_until_fit(records, fleet_query_commands::longest_answer);
  return racing::encode(records);
}

bool advice_reports::is_fresh(const known_report& known, const std::shared_ptr<const config>& settings,
                              racing::wall_time now) const {
  if (!known.report || known.settings != settings || now < known.report->as_of) return false;
  return now - known.report->as_of < (known.report->scope.note.empty() ? advice_age : lone_advice_age);
}

// Computes only one report at a time. Requests for other reports wait until the report is complete.
boost::asio::awaitable<std::shared_ptr<const advice_report>> advice_reports::advise(
    std::shared_ptr<const config> settings, std::string gateway) {
  while (is_advising_) co_await pause_for(house_.context(), advice_pause);
  const racing::wall_time now = house_.now();
  if (const auto found = known_.find(gateway); found != known_.end() && is_fresh(found->second, settings, now))
    co_return found->second.report;
  const held_value busy(is_advising_, true);
  fleet_query query{.kind = query_kind::advice, .gateway = gateway};
  query.sees_all = true;
  fleet_answers said = co_await fleet_.ask(std::move(query));
  const auto answers = std::make_shared<fleet_answers>(std::move(said));
  const auto made = std::make_shared<advice_report>();
  made->as_of = now;
  made->scope = std::move(answers->scope);
  const bool has_own = gateway.empty() || gateway == fleet_.members().name();
  if (!has_own && answers->pages.empty()) co_return made;
  const auto records = std::make_shared<racing::speed_records>();
  if (has_own) {
    races_.tick();
    *records = races_.records();
  }
  std::function<void()> work = [settings, records, answers, made, now] {
    merge_pages(*records, answers->pages);
    for (const racing::advised_route& each : advised_routes(settings, std::chrono::floor<std::chrono::seconds>(now)))
      if (auto given = racing::advise(*records, each)) made->routes.push_back(std::move(*given));
  };
  co_await counting_.run(std::move(work), house_.context().get_executor());
  if (known_.size() >= most_known_advice) known_.clear();
  known_[gateway] = {settings, made};
  co_return made;
}

}  // namespace photofinish::gateway
