#include "gateway/config/sections/sections.hpp"

#include <array>

namespace photofinish::gateway {
namespace {

using racing::race_policy;
using racing::race_settings;
using racing::target_sort;
using racing::win_on;

void check_race(const section_reader& race, const race_settings& settings) {
  if (settings.first_token_timeout && *settings.first_token_timeout > settings.race_timeout)
    race.warn("first_token_timeout", "is longer than race_timeout, which ends every attempt first");
  const bool watches_speed = settings.min_tokens_per_second.has_value();
  if (!watches_speed && settings.crawl == racing::on_crawl::cut)
    race.warn("on_crawl", "does nothing without min_tokens_per_second");
  if (!watches_speed && settings.counts_reasoning)
    race.warn("crawl_in_reasoning", "does nothing without min_tokens_per_second");
  if (watches_speed && settings.crawl_window >= settings.total_timeout)
    race.warn("crawl_window", "is not shorter than total_timeout: no answer could be found to crawl");
  if (settings.race_timeout > settings.total_timeout)
    race.warn("race_timeout", "is longer than total_timeout, which ends the request first");
  const bool has_delay = settings.policy == race_policy::hedge && !settings.is_hedge_delay_auto;
  if (has_delay && settings.hedge_delay >= settings.race_timeout)
    race.warn("hedge_delay", "is not shorter than race_timeout: no further target could start");
}

}  // namespace

void read_race(const section_reader& parent, race_settings& into) {
  const yaml_node* node = parent.find("race");
  if (!node) return;
  const section_reader race(parent.shared(), *node, section::race);
  constexpr std::array policies{race_policy::all, race_policy::hedge, race_policy::adaptive, race_policy::fallback};
  if (const auto place = race.choice("policy")) into.policy = policies[*place];
  race.read("max_parallel", into.max_parallel);
  race.read("max_attempts", into.max_attempts);
  constexpr std::array sorts{target_sort::listed, target_sort::ttft, target_sort::tps, target_sort::finish,
                             target_sort::cost};
  if (const auto place = race.choice("sort")) into.sort = sorts[*place];
  race.read("max_extra_cost", into.max_extra_cost);
  race.read("deadline", into.deadline);
  race.read_or_auto("hedge_delay", into.hedge_delay, into.is_hedge_delay_auto);
  constexpr std::array wins{win_on::any, win_on::visible, win_on::finish};
  if (const auto place = race.choice("win_on")) into.wins = wins[*place];
  constexpr std::array stored{racing::stored_answers::fallback, racing::stored_answers::refuse,
                              racing::stored_answers::by_default};
  if (const auto place = race.choice("stored")) into.stored = stored[*place];
  race.read("observe_losers", into.observe_losers);
  race.read("race_timeout", into.race_timeout);
  race.read("first_token_timeout", into.first_token_timeout);
  race.read("stall_timeout", into.stall_timeout);
  race.read("min_tokens_per_second", into.min_tokens_per_second);
  race.read("crawl_window", into.crawl_window);
  race.read("crawl_in_reasoning", into.counts_reasoning);
  constexpr std::array on_crawls{racing::on_crawl::report, racing::on_crawl::cut};
  if (const auto place = race.choice("on_crawl")) into.crawl = on_crawls[*place];
  constexpr std::array on_breaks{racing::on_break::error, racing::on_break::continue_text};
  if (const auto place = race.choice("on_break")) into.breaking = on_breaks[*place];
  race.read("keep_runner_up", into.keep_runner_up, zero_duration::allowed);
  race.read("client_stall_timeout", into.client_stall_timeout);
  race.read("keepalive_after", into.keepalive_after, zero_duration::allowed);
  race.read("total_timeout", into.total_timeout);
  check_race(race, into);
}

}  // namespace photofinish::gateway
