#include "gateway/config/sections/sections.hpp"

namespace photofinish::gateway {
namespace {

using racing::crawl_settings;
using racing::race_policy;
using racing::race_settings;

void check_crawl(const section_reader& race, const crawl_settings& crawl, std::chrono::milliseconds total_timeout) {
  const bool watches_speed = crawl.min_tokens_per_second.has_value();
  if (!watches_speed && crawl.action == racing::on_crawl::cut)
    race.warn("on_crawl", "has no effect without `min_tokens_per_second`");
  if (!watches_speed && crawl.counts_reasoning)
    race.warn("crawl_in_reasoning", "has no effect without `min_tokens_per_second`");
  if (watches_speed && crawl.window >= total_timeout)
    race.warn("crawl_window", "should be shorter than `total_timeout`; otherwise the gateway cannot detect slow "
                              "answers in time");
}

void check_race(const section_reader& race, const race_settings& settings) {
  if (settings.first_token_timeout && *settings.first_token_timeout > settings.race_timeout)
    race.warn("first_token_timeout", "is longer than `race_timeout`, so `race_timeout` ends every attempt first");
  check_crawl(race, settings.crawl, settings.total_timeout);
  if (settings.race_timeout > settings.total_timeout)
    race.warn("race_timeout", "is longer than `total_timeout`, so `total_timeout` ends the request first");
  const bool has_delay = settings.policy == race_policy::hedge && !settings.is_hedge_delay_auto;
  if (has_delay && settings.hedge_delay >= settings.race_timeout)
    race.warn("hedge_delay", "should be shorter than `race_timeout`; otherwise no further target can start");
}

}  // namespace

void read_race(const section_reader& parent, race_settings& into) {
  const yaml_node* node = parent.find("race");
  if (!node) return;
  const section_reader race(parent.shared(), *node, section::race);
  race.read_members(into);
  race.read_or_auto("hedge_delay", into.hedge_delay, into.is_hedge_delay_auto);
  check_race(race, into);
}

}  // namespace photofinish::gateway
