#include "gateway/commands/catalogue_notes.hpp"

#include "gateway/config/target_text.hpp"
#include "gateway/log/time_text.hpp"
#include "gateway/records/price_book.hpp"
#include "proxy/words/decimal_text.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace photofinish::gateway {
namespace {

constexpr std::chrono::days change_horizon{14}, end_horizon{60};

using note_list = std::vector<std::string>;

std::string in_and_out(const proxy::price& each) {
  return proxy::short_text(each.input.usd, 6) + "/" + proxy::short_text(each.output.usd, 6);
}

// Returns the days on which prices of a model change. Each day has a list of the tiers whose prices change.
std::map<std::chrono::sys_days, std::vector<proxy::price_tier>> coming_changes(const proxy::catalogue_model& row,
                                                                               std::chrono::sys_days today) {
  std::map<std::chrono::sys_days, std::vector<proxy::price_tier>> changes;
  for (const auto& [tier, prices] : row.prices)
    for (const proxy::price& each : prices.periods)
      if (each.times.from && *each.times.from > today && *each.times.from <= today + change_horizon) {
        auto& tiers = changes[*each.times.from];
        if (std::find(tiers.begin(), tiers.end(), tier) == tiers.end()) tiers.push_back(tier);
      }
  return changes;
}

void note_changes(const std::string& target, const proxy::catalogue_model& row, std::chrono::sys_days today,
                  note_list& into) {
  for (const auto& [day, tiers] : coming_changes(row, today))
    for (const proxy::price_tier tier : tiers) {
      const proxy::model_prices& prices = row.prices.at(tier);
      const proxy::price& now = prices.at(day - std::chrono::days(1));
      const proxy::price& then = prices.at(day);
      if (now == then) continue;
      const std::string name = tier == proxy::price_tier::standard ? "" : std::string(to_string(tier)) + " ";
      into.push_back(target + ": the " + name + "price changes on " + day_text(day) + " from " + in_and_out(now) +
                     " to " + in_and_out(then) + " USD per million tokens (input/output)");
    }
}

void note_end(const std::string& target, const proxy::catalogue_model& row, std::chrono::sys_days today,
              note_list& into) {
  if (!row.ends || *row.ends > today + end_horizon) return;
  const std::string_view what = *row.ends < today ? ": the provider retired this model on "
                                                  : ": the provider will retire this model on ";
  std::string text = target + std::string(what) + day_text(*row.ends);
  if (!row.successor.empty()) text += "; the provider recommends " + row.successor;
  into.push_back(std::move(text));
}

void note_unpriced(const std::set<std::string>& targets, note_list& into) {
  if (targets.empty()) return;
  into.push_back("no budget counts the costs of these targets, because their prices are "
                 "unknown: " + named_targets(targets) +
                 ". Set `prices` for their providers");
}

bool has_own_price(const proxy::provider& at, const std::string& model) {
  return at.prices.contains(model) || at.prices.contains("*");
}

}  // namespace

std::string_view short_catalogue_id(std::string_view id) { return id.substr(0, 12); }

std::string catalogue_age_text(const catalogue_settings& from, std::chrono::sys_days today) {
  const auto days = std::max<std::chrono::days::rep>((today - from.as_of()).count(), 0);
  return std::string(short_catalogue_id(from.id())) + " of " + day_text(from.as_of()) + ", " + std::to_string(days) +
         (days == 1 ? " day old" : " days old");
}

std::vector<std::string> catalogue_notes(const config& settings, std::chrono::sys_days today) {
  const catalogue_settings& from = settings.catalogue;
  note_list all{catalogue_age_text(from, today) + (from.from_file ? ", from " + from.file : ", built into this "
                                                                                            "program")};
  std::set<std::string> unpriced, models;
  for (const target_name& each : configured_targets(settings)) {
    const auto provider = settings.providers.find(each.provider);
    if (provider == settings.providers.end()) continue;
    const proxy::provider& at = provider->second;
    if (lacks_price(settings, each)) unpriced.insert(each.text());
    const std::string model(each.sent_model()), name = each.provider + "/" + model;
    const auto* row = at.listed.provider.empty() ? nullptr : from.list().find(at.listed.provider, model);
    if (row == nullptr || !models.insert(name).second) continue;  // all tiers of a model share one entry
    if (!has_own_price(at, model)) note_changes(name, *row, today, all);
    note_end(name, *row, today, all);
  }
  note_unpriced(unpriced, all);
  return all;
}

}  // namespace photofinish::gateway
