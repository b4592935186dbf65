#include "proxy/providers/catalogue_update.hpp"

#include "proxy/providers/catalogue_fact_jumps.hpp"
#include "proxy/providers/catalogue_proof.hpp"
#include "proxy/words/ascii.hpp"
#include "proxy/words/decimal_text.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace photofinish::proxy {

namespace {

constexpr std::chrono::days most_days_ahead{2};  // a tolerance for time zones and inaccurate clocks
// The maximum factor by which an update may change a price. It is slightly above ten to allow for rounding, because
// prices are products of decimal fractions.
constexpr double largest_move = 10 * (1 + 1e-9);

constexpr std::array all_tiers{price_tier::standard, price_tier::batch, price_tier::flex,
                               price_tier::priority, price_tier::fast,  price_tier::ultrafast};

// The lowest and highest price of one token class, for all dates, hours and prompt sizes.
struct figure_range {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;

  void add(double usd) {
    least = std::min(least, usd);
    most = std::max(most, usd);
  }
  void add(const token_rate& rate) {
    add(rate.usd);
    for (const token_rate::tier& each : rate.tiers) add(each.usd);
  }
};

struct token_class {
  std::string_view name;
  // the name of the token class whose price applies if this token class has no price of its own
  std::string_view default_name = {};
  // The optional member of `price` that contains the price of this token class. Null for a token class whose price is
  // never missing.
  std::optional<token_rate> price::*optional_rate = nullptr;
};

constexpr std::array<token_class, 7> classes{{{"input"},
                                              {"cached_input", "input", &price::cached_input},
                                              {"written_input", "input", &price::written_input},
                                              {"written_for_hour", "written_input", &price::written_for_hour},
                                              {"output"},
                                              {"reasoning", "output", &price::reasoning},
                                              {"request"}}};
using class_ranges = std::array<figure_range, classes.size()>;

class_ranges ranges_of(const model_prices& prices) {
  class_ranges all;
  for (const price& each : prices.periods) {
    const token_rate& written = each.written_input ? *each.written_input : each.input;
    all[0].add(each.input);
    all[1].add(each.cached_input ? *each.cached_input : each.input);
    all[2].add(written);
    all[3].add(each.written_for_hour ? *each.written_for_hour : written);
    all[4].add(each.output);
    all[5].add(each.reasoning ? *each.reasoning : each.output);
    all[6].add(each.request);
  }
  return all;
}

bool moves_too_far(double from, double to) {
  return from > 0 && to > 0 && (to > from * largest_move || to * largest_move < from);
}

std::string move_text(double from, double to) {
  return "changes from " + short_text(from, 6) + " to " + short_text(to, 6) + ", by more than a factor of ten";
}

// Compares the lowest and highest prices of a token class before and after an update. Returns a text that describes a
// suspicious change, or an empty text if the change is plausible. `was_free` is true if no token class had a price in
// this tier.
std::string range_problem(const figure_range& before, const figure_range& next, bool was_free) {
  if (before.most == 0 && next.most > 0 && !was_free) return "rises from 0 to " + short_text(next.most, 6);
  if (before.least > 0 && next.least == 0) return "falls from " + short_text(before.least, 6) + " to 0";
  if (before.most > 0 && next.most == 0) return "falls from " + short_text(before.most, 6) + " to 0";
  if (moves_too_far(before.most, next.most)) return move_text(before.most, next.most);
  return moves_too_far(before.least, next.least) ? move_text(before.least, next.least) : std::string();
}

// If a price list has no price for this token class, explains which other price applies. Otherwise returns an empty
// text.
std::string default_note(const token_class& of, const model_prices& prices, std::string_view list) {
  const auto has_rate = [&of](const price& each) { return (each.*of.optional_rate).has_value(); };
  if (of.optional_rate == nullptr || std::any_of(prices.periods.begin(), prices.periods.end(), has_rate)) return {};
  return " (" + std::string(list) + " has no " + std::string(of.name) + ", so the price of " +
         std::string(of.default_name) + " applies)";
}

std::string tier_problem(const model_prices& before, const model_prices* next) {
  if (next == nullptr) return " vanishes";
  const class_ranges was = ranges_of(before), is = ranges_of(*next);
  const bool was_free = std::all_of(was.begin(), was.end(), [](const figure_range& each) { return each.most == 0; });
  for (std::size_t i = 0; i < was.size(); ++i)
    if (const std::string problem = range_problem(was[i], is[i], was_free); !problem.empty())
      return " for " + std::string(classes[i].name) + " " + problem +
             default_note(classes[i], before, "the previous list") + default_note(classes[i], *next, "the new list");
  return {};
}

// Compares the prices of one model name. Ignores a name that only one catalogue contains, because loss_problem()
// handles such names.
std::string name_problem(const std::string& provider, const std::string& name, const catalogue& before,
                         const catalogue& next) {
  const catalogue_model* was = before.find(provider, name);
  const catalogue_model* is = next.find(provider, name);
  if (was == nullptr || is == nullptr || was->prices.empty()) return {};
  for (const price_tier tier : all_tiers) {
    const model_prices* before_it = was->prices_of(tier);
    const model_prices* now = is->prices_of(tier);
    // A tier without a price costs as much as the standard tier.
    if (before_it == nullptr && now != nullptr) before_it = was->prices_of(price_tier::standard);
    if (before_it == nullptr) continue;
    const std::string problem = tier_problem(*before_it, now);
    if (!problem.empty())
      return "the " + std::string(to_string(tier)) + " price of " + provider + "/" + name + problem;
  }
  return {};
}

struct name_counts {
  std::size_t all = 0, priced = 0;
};

name_counts count_names(const std::vector<catalogue_model>& models) {
  name_counts counts;
  for (const catalogue_model& each : models) {
    const std::size_t names = each.names.size() + each.prefixes.size();
    counts.all += names;
    if (!each.prices.empty()) counts.priced += names;
  }
  return counts;
}

std::string fewer_text(const std::string& provider, std::size_t next, std::size_t before, std::string_view what) {
  return "provider '" + provider + "' has " + std::to_string(next) + " " + std::string(what) +
         ", but the previous list has " + std::to_string(before);
}

// Finds lost model names. The names are counted for each provider, because new names of one provider must not hide lost
// names of another.
std::string loss_problem(const catalogue& before, const catalogue& next) {
  for (const auto& [provider, models] : before.models()) {
    const auto place = next.models().find(provider);
    if (place == next.models().end()) return "provider '" + provider + "' was removed";
    const name_counts was = count_names(models), is = count_names(place->second);
    if (is.all < was.all) return fewer_text(provider, is.all, was.all, "model names");
    if (is.priced < was.priced) return fewer_text(provider, is.priced, was.priced, "model names with a price");
  }
  return {};
}

std::string proof_problem(const catalogue_file& file) {
  if (!file.sha256.empty()) {
    const std::string hash = sha256_hex(file.text);
    return hash == ascii_lower(file.sha256) ? "" : "has the SHA-256 " + hash + ", not " + std::string(file.sha256);
  }
  if (file.signature.empty()) return "has no signature";
  const bool is_right = is_signed_by(file.public_key, file.text, file.signature);
  return is_right ? "" : "has a signature that does not match the file and the public key";
}

}  // namespace

catalogue_result read_proven_catalogue(const catalogue_file& file) {
  if (file.text.size() > largest_catalogue_bytes)
    return {nullptr, "is longer than " + std::to_string(largest_catalogue_bytes >> 20) + " MiB"};
  if (std::string problem = proof_problem(file); !problem.empty()) return {nullptr, std::move(problem)};
  catalogue_result read = parse_catalogue(file.text);
  if (!read.value) read.error = "cannot be used: " + read.error;
  return read;
}

bool is_dated_ahead(std::chrono::sys_days as_of, std::chrono::sys_days today) {
  return as_of > std::max(today, built_in_catalogue_date()) + most_days_ahead;
}

std::string jump_problem(const catalogue& before, const catalogue& next) {
  if (before.id() == next.id()) return {};
  if (std::string problem = loss_problem(before, next); !problem.empty()) return problem;
  // Compares the prices of all names in both catalogues. This includes new names, because the old catalogue may already
  // have had a price for a new name, either by a prefix or by the same name without its date.
  for (const catalogue* names_of : {&before, &next})
    for (const auto& [provider, models] : names_of->models())
      for (const catalogue_model& each : models)
        for (const auto* names : {&each.names, &each.prefixes})
          for (const std::string& name : *names)
            if (std::string problem = name_problem(provider, name, before, next); !problem.empty()) return problem;
  return fact_jump(before, next);
}

}  // namespace photofinish::proxy
