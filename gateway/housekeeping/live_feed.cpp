#include "gateway/housekeeping/live_feed.hpp"

#include "gateway/housekeeping/score_keeping.hpp"
#include "gateway/housekeeping/shared/fleet_keeping.hpp"
#include "gateway/housekeeping/stores/forecast_store.hpp"

namespace photofinish::gateway {

namespace {
// The maximum time to wait for another gateway's figures, and the interval at which a request checks if they have
// arrived.
constexpr std::chrono::milliseconds figures_patience{2'500}, look_again{20};
}  // namespace

boost::asio::awaitable<std::shared_ptr<const std::string>> live_feed::read(std::uint64_t since, std::string gateway) {
  const fleet_members& members = from_.fleet.members();
  if (!gateway.empty() && !members.knows(gateway)) co_return nullptr;
  if (!gateway.empty() && !members.can_ask(gateway)) co_return std::make_shared<const std::string>();
  const racing::instant last = std::chrono::steady_clock::now() + figures_patience;
  if (pages_.ask(std::chrono::steady_clock::now(), gateway)) {
    pages_.open(workers_);
    tick();
  }
  while (!pages_.has_figures_of(gateway) && std::chrono::steady_clock::now() < last && !from_.house.is_stopping())
    co_await pause_for(from_.house.context(), look_again);
  if (!pages_.has_figures_of(gateway)) co_return std::make_shared<const std::string>();
  co_return pages_.text(since, gateway);
}

void live_feed::tick() {
  fleet_keeping& fleet = from_.fleet;
  const bool is_watched = fleet.figures().is_watched();
  fleet.figures().watch(pages_.is_open());
  if (!pages_.is_open() && !is_watched && pages_.shared_text().empty()) return;
  const racing::instant now = std::chrono::steady_clock::now();
  live_keeping::sources all{from_.process.version, from_.process.started_at, from_.scores.cooling(now),
                            from_.speeds.budgets(), from_.speeds.board()};
  all.is_watched = is_watched;
  if (pages_.is_open()) {
    all.scope = fleet.scope_of_figures();
    all.others = fleet.other_figures();
  }
  const bool is_needed = pages_.tick(now, all);
  fleet.figures().watch(pages_.is_open());
  if (is_needed) fleet.figures().write_figures(pages_.shared_text());
}

}  // namespace photofinish::gateway
