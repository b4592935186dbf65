#include "gateway/commands/catalogue/catalogue_texts.hpp"

#include "gateway/commands/text_table.hpp"
#include "gateway/log/time_text.hpp"
#include "proxy/providers/service_tiers.hpp"
#include "proxy/words/ascii.hpp"
#include "proxy/words/decimal_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace photofinish::gateway {
namespace {

using proxy::catalogue_model;
using proxy::shown_text;
using model_names = std::map<std::string, const catalogue_model*>;
using table_rows = std::vector<std::vector<std::string>>;

std::string rate_words(const proxy::token_rate& rate) {
  std::string text = proxy::short_text(rate.usd, 6);
  for (const proxy::token_rate::tier& each : rate.tiers)
    text += " (" + proxy::short_text(each.usd, 6) + " above " + std::to_string(each.above) + " tokens)";
  return text;
}

std::string clock_text(std::chrono::minutes time) {
  char text[32];
  const auto minutes = static_cast<int>(time.count());
  std::snprintf(text, sizeof text, "%02d:%02d", minutes / 60, minutes % 60);
  return text;
}

std::string days_words(std::uint8_t weekdays) {
  constexpr std::array<std::string_view, 7> names{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  std::string text;
  for (std::size_t day = 0; day < names.size(); ++day)
    if ((weekdays >> day & 1) != 0) text.append(text.empty() ? "" : " ").append(names[day]);
  return text;
}

std::string times_words(const proxy::price_times& times) {
  std::string text;
  if (times.from) text += ", from " + day_text(*times.from);
  for (const proxy::daily_hours& each : times.hours)
    text += ", " + clock_text(each.begin) + " to " + clock_text(each.end) + " UTC";
  if (times.weekdays != 0) text += ", on " + days_words(times.weekdays);
  if (!times.holidays.empty()) text += ", except on holidays";
  return text;
}

std::string period_words(const proxy::price& each) {
  std::string text = "input " + rate_words(each.input);
  const auto add = [&text](const char* name, const std::optional<proxy::token_rate>& rate) {
    if (rate) text += std::string(", ") + name + " " + rate_words(*rate);
  };
  add("cached_input", each.cached_input);
  add("written_input", each.written_input);
  add("written_for_hour", each.written_for_hour);
  text += ", output " + rate_words(each.output);
  add("reasoning", each.reasoning);
  if (each.request > 0) text += ", request " + proxy::short_text(each.request, 6);
  return text + times_words(each.times);
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& each : words) text += (text.empty() ? "" : ", ") + each;
  return text;
}

std::string source_words(const proxy::catalogue& list, const catalogue_model& row) {
  std::string text;
  for (const std::size_t place : row.sources)
    text += (text.empty() ? "" : ", ") + list.sources()[place].name + " " + list.sources()[place].version;
  return text;
}

std::string end_words(const catalogue_model& row) {
  if (!row.ends) return {};
  return day_text(*row.ends) + (row.successor.empty() ? "" : ", successor " + row.successor);
}

// Returns a model's facts, keyed by the name of the fact, for printing and for comparisons.
std::map<std::string, std::string> facts_of(const catalogue_model& row) {
  std::map<std::string, std::string> facts;
  for (const auto& [tier, prices] : row.prices)
    facts["price " + std::string(to_string(tier))] = prices_text(prices);
  if (row.context > 0) facts["context"] = std::to_string(row.context);
  if (row.max_output > 0) facts["max_output"] = std::to_string(row.max_output);
  if (row.efforts.are_known) facts["efforts"] = joined(row.efforts.words);
  if (!row.reads.empty()) facts["reads"] = joined(row.reads);
  if (!row.writes.empty()) facts["writes"] = joined(row.writes);
  if (row.is_responses_only) facts["responses_only"] = "true";
  if (row.ends) facts["ends"] = end_words(row);
  return facts;
}

void show_model(const proxy::catalogue& list, const std::string& name, const catalogue_model& row, std::ostream& out) {
  out << shown_text(name) << '\n';
  if (row.prices.empty()) out << "  price           unknown\n";
  for (const auto& [fact, value] : facts_of(row))
    out << "  " << fact << std::string(fact.size() < 16 ? 16 - fact.size() : 1, ' ') << shown_text(value) << '\n';
  out << "  sources         " << shown_text(source_words(list, row)) << '\n';
}

void show_provider(const std::vector<catalogue_model>& models, std::ostream& out) {
  table_rows table{{"MODEL", "CONTEXT", "ENDS", "PRICE"}};
  for (const catalogue_model& row : models) {
    const auto* prices = row.prices_of(proxy::price_tier::standard);
    for (const std::string& name : row.names)
      table.push_back({name, row.context > 0 ? std::to_string(row.context) : "-",
                       row.ends ? day_text(*row.ends) : "-", prices ? prices_text(*prices) : "unknown"});
  }
  print_table(std::move(table), out);
}

bool show_everywhere(const proxy::catalogue& list, const std::string& model, std::ostream& out) {
  bool is_known = false;
  for (const auto& [provider, models] : list.models()) {
    const catalogue_model* row = list.find(provider, model);
    if (row == nullptr) continue;
    show_model(list, provider + "/" + model, *row, out);
    is_known = true;
  }
  return is_known;
}

// Prints the provider with this name, or the models with this name. The name must be in lower case.
bool show_named(const proxy::catalogue& list, const std::string& name, std::ostream& out) {
  if (const auto provider = list.models().find(name); provider != list.models().end())
    return show_provider(provider->second, out), true;
  const std::size_t slash = name.find('/');
  if (slash != std::string::npos && list.models().contains(name.substr(0, slash)))
    if (const catalogue_model* row = list.find(name.substr(0, slash), name.substr(slash + 1)))
      return show_model(list, name, *row, out), true;
  return show_everywhere(list, name, out);
}

model_names names_at(const proxy::catalogue& list, const std::string& provider) {
  model_names names;
  const auto models = list.models().find(provider);
  if (models == list.models().end()) return names;
  for (const catalogue_model& row : models->second)
    for (const std::string& name : row.names) names.emplace(name, &row);
  return names;
}

struct difference_counts {
  std::size_t came = 0, went = 0, changed = 0;
};

// Returns the holidays of a model's prices, which are days on which a price does not apply. They are compared
// separately, because the text of a price does not list them.
std::set<std::chrono::sys_days> holidays_of(const catalogue_model& row) {
  std::set<std::chrono::sys_days> days;
  for (const auto& [tier, prices] : row.prices)
    for (const proxy::price& each : prices.periods) days.insert(each.times.holidays.begin(), each.times.holidays.end());
  return days;
}

// Returns the added and the removed holidays, such as "+2027-02-08 -2027-02-09". Returns an empty text if the holidays
// have not changed.
std::string holiday_changes(const catalogue_model& before, const catalogue_model& next) {
  const auto was = holidays_of(before), is = holidays_of(next);
  std::vector<std::chrono::sys_days> changed;
  std::set_symmetric_difference(was.begin(), was.end(), is.begin(), is.end(), std::back_inserter(changed));
  std::string text;
  for (const auto day : changed) text += (text.empty() ? "" : " ") + ((is.contains(day) ? "+" : "-") + day_text(day));
  return text;
}

void show_changes(const std::string& name, const catalogue_model& before, const catalogue_model& next,
                  difference_counts& counts, std::ostream& out) {
  std::map<std::string, std::string> was = facts_of(before), is = facts_of(next);
  const std::string holidays = holiday_changes(before, next);
  if (was == is && holidays.empty()) return;
  ++counts.changed;
  for (const auto& [fact, value] : is) was.try_emplace(fact, "unknown");
  for (const auto& [fact, value] : was) {
    const auto now = is.find(fact);
    const std::string after = now == is.end() ? "unknown" : now->second;
    if (value != after)
      out << "~ " << shown_text(name) << ": " << fact << ": " << shown_text(value) << " -> " << shown_text(after)
          << '\n';
  }
  if (!holidays.empty()) out << "~ " << shown_text(name) << ": holidays: " << holidays << '\n';
}

void show_beta_changes(const std::string& cloud, const proxy::beta_names& before, const proxy::beta_names& next,
                       difference_counts& counts, std::ostream& out) {
  const std::string place = "betas of " + cloud + ": ";
  proxy::beta_names all = before;
  all.insert(next.begin(), next.end());
  for (const auto& [beta, unused] : all) {
    const auto was = before.find(beta), is = next.find(beta);
    const std::string shown = shown_text(place + beta);
    if (was == before.end()) out << "+ " << shown << '\n', ++counts.came;
    else if (is == next.end()) out << "- " << shown << '\n', ++counts.went;
    else if (was->second != is->second)
      out << "~ " << shown << ": " << shown_text(was->second) << " -> " << shown_text(is->second) << '\n',
          ++counts.changed;
  }
}

const proxy::beta_names& betas_at(const proxy::catalogue& list, const std::string& cloud) {
  static const proxy::beta_names none;
  const proxy::beta_names* found = list.betas(cloud);
  return found != nullptr ? *found : none;
}

}  // namespace

std::string prices_text(const proxy::model_prices& prices) {
  std::string text;
  for (const proxy::price& each : prices.periods) text += (text.empty() ? "" : "; ") + period_words(each);
  return text;
}

void show_list(const proxy::catalogue& list, std::ostream& out) {
  out << "id: " << list.id() << "\nas_of: " << day_text(list.as_of()) << "\n\n";
  table_rows sources{{"SOURCE", "VERSION", "DATE", "LICENCE"}};
  for (const proxy::catalogue_source& each : list.sources())
    sources.push_back({each.name, each.version, day_text(each.date), each.licence});
  print_table(std::move(sources), out);
  out << '\n';
  table_rows providers{{"PROVIDER", "NAMES", "WITH A PRICE"}};
  for (const auto& [provider, models] : list.models()) {
    std::size_t names = 0, priced = 0;
    for (const catalogue_model& row : models) {
      names += row.names.size();
      if (!row.prices.empty()) priced += row.names.size();
    }
    providers.push_back({provider, std::to_string(names), std::to_string(priced)});
  }
  print_table(std::move(providers), out);
}

bool show_part(const proxy::catalogue& list, const std::string& word, std::ostream& out) {
  const std::string name = proxy::ascii_lower(word);
  if (show_named(list, name, out)) return true;
  return !proxy::tier_word_at_end(name).empty() && show_named(list, std::string(proxy::without_tier(name)), out);
}

void show_differences(const proxy::catalogue& before, const proxy::catalogue& next, const shown_differences& shown,
                      std::ostream& out) {
  std::set<std::string> providers, clouds;
  for (const auto* list : {&before, &next}) {
    for (const auto& [provider, models] : list->models()) providers.insert(provider);
    for (const auto& [cloud, betas] : list->betas()) clouds.insert(cloud);
  }
  difference_counts counts;
  for (const std::string& provider : providers) {
    model_names was = names_at(before, provider);
    const model_names is = names_at(next, provider);
    for (const auto& [name, row] : is) was.try_emplace(name, nullptr);
    for (const auto& [name, row] : was) {
      if (!shown.has_model(provider, name)) continue;
      const auto now = is.find(name);
      const std::string full = provider + "/" + name;
      if (row == nullptr) out << "+ " << shown_text(full) << '\n', ++counts.came;
      else if (now == is.end()) out << "- " << shown_text(full) << '\n', ++counts.went;
      else show_changes(full, *row, *now->second, counts, out);
    }
  }
  for (const std::string& cloud : clouds)
    if (shown.has_cloud(cloud)) show_beta_changes(cloud, betas_at(before, cloud), betas_at(next, cloud), counts, out);
  out << counts.came << " new, " << counts.went << " removed, " << counts.changed << " changed\n";
}

}  // namespace photofinish::gateway
