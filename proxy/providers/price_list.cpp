// known_prices(): prices.json, read once, when it is first asked for.
#include "proxy/providers/prices.hpp"
#include "proxy/words/ascii.hpp"
#include "proxy/words/parse_number.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <regex>

namespace photofinish::proxy {

extern const std::string_view prices_text;  // made of prices_text.cpp.in

namespace {

using nlohmann::json;

constexpr std::size_t max_model_name = 256;  // std::regex recurses once for each character

// A rule of prices.json: {"equals": …}, {"or": […]} and so on. All but patterns ignore case.
struct rule {
  enum class how { equals, starts_with, ends_with, contains, regex, any_of, all_of };

  how kind = how::equals;
  std::string text;
  std::regex pattern;
  std::vector<rule> parts;

  bool matches(const std::string& model, const std::string& lower) const {
    const auto part_matches = [&](const rule& part) { return part.matches(model, lower); };
    switch (kind) {
      case how::equals: return lower == text;
      case how::starts_with: return lower.starts_with(text);
      case how::ends_with: return lower.ends_with(text);
      case how::contains: return lower.find(text) != std::string::npos;
      case how::regex: return std::regex_search(model, pattern);
      case how::any_of: return std::any_of(parts.begin(), parts.end(), part_matches);
      case how::all_of: return std::all_of(parts.begin(), parts.end(), part_matches);
    }
    return false;
  }
};

rule read_rule(const json& from) {
  constexpr std::array<std::string_view, 7> words{"equals", "starts_with", "ends_with", "contains",
                                                  "regex",  "or",          "and"};
  const json& value = *from.begin();
  const auto place = std::find(words.begin(), words.end(), from.begin().key());
  rule read{.kind = static_cast<rule::how>(place - words.begin())};
  if (value.is_array()) {
    for (const json& part : value) read.parts.push_back(read_rule(part));
  } else if (read.kind == rule::how::regex) {
    read.pattern = std::regex(value.get<std::string>());
  } else {
    read.text = ascii_lower(value.get<std::string>());
  }
  return read;
}

// 0.15, or [0.15, [200000, 0.3]]: above 200,000 tokens of input 0.3.
token_rate read_rate(const json& from) {
  if (from.is_number()) return {from.get<double>(), {}};
  token_rate rate{from.at(0).get<double>(), {}};
  for (std::size_t i = 1; i < from.size(); ++i)
    rate.tiers.push_back({from[i].at(0).get<std::uint64_t>(), from[i].at(1).get<double>()});
  std::sort(rate.tiers.begin(), rate.tiers.end(), [](const auto& a, const auto& b) { return a.above < b.above; });
  return rate;
}

int read_int(std::string_view text) {
  return parse_leading_number<int>(text).value_or(0);
}

// "16:30"
std::chrono::minutes read_time(const std::string& text) {
  return std::chrono::hours(read_int(text.substr(0, 2))) + std::chrono::minutes(read_int(text.substr(3, 2)));
}

// "2026-07-30"
std::chrono::sys_days read_date(const std::string& text) {
  return std::chrono::year(read_int(text.substr(0, 4))) / read_int(text.substr(5, 2)) / read_int(text.substr(8, 2));
}

price read_price(const json& from) {
  price read{.input = read_rate(from.at("input")), .output = read_rate(from.at("output"))};
  if (from.contains("cached_input")) read.cached_input = read_rate(from["cached_input"]);
  if (from.contains("written_input")) read.written_input = read_rate(from["written_input"]);
  if (from.contains("written_for_hour")) read.written_for_hour = read_rate(from["written_for_hour"]);
  if (from.contains("reasoning")) read.reasoning = read_rate(from["reasoning"]);
  read.request = from.value("request", 0.0);
  if (from.contains("from")) read.times.from = read_date(from["from"]);
  if (from.contains("daily")) read.times.hours = {{read_time(from["daily"][0]), read_time(from["daily"][1])}};
  return read;
}

struct known_model {
  rule names;
  model_prices prices;
};

struct list {
  std::string source;
  std::map<std::string, std::vector<known_model>, std::less<>> models;  // by preset
};

list read_list() {
  const json text = json::parse(prices_text);
  list read{text.at("source"), {}};
  for (const auto& [preset, models] : text.at("providers").items())
    for (const json& each : models) {
      known_model model{read_rule(each.at("match")), {}};
      for (const json& period : each.at("prices")) model.prices.periods.push_back(read_price(period));
      read.models[preset].push_back(std::move(model));
    }
  return read;
}

const list& known() {
  static const list read = read_list();
  return read;
}

}  // namespace

// Without a preset there is nothing to look for: the list takes a megabyte, and is not read for that.
const model_prices* known_prices(std::string_view preset, std::string_view model) {
  if (preset.empty()) return nullptr;
  const auto models = known().models.find(preset);
  if (models == known().models.end() || model.size() > max_model_name) return nullptr;
  const std::string name(model), lower = ascii_lower(model);
  const auto matches = [&](const known_model& each) { return each.names.matches(name, lower); };
  const auto found = std::find_if(models->second.begin(), models->second.end(), matches);
  return found == models->second.end() || found->prices.periods.empty() ? nullptr : &found->prices;
}

bool has_known_prices(std::string_view preset) { return !preset.empty() && known().models.contains(preset); }

std::string_view known_prices_source() { return known().source; }

}  // namespace photofinish::proxy
