// parse_catalogue() reads and checks catalogue.json. It stops at the first error, so an incomplete catalogue is never
// used.
#include "proxy/providers/catalogue.hpp"
#include "proxy/providers/catalogue_proof.hpp"
#include "proxy/words/contains.hpp"
#include "proxy/words/parse_number.hpp"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace photofinish::proxy {

namespace {

using element = simdjson::dom::element;
using object = simdjson::dom::object;
using holiday_lists = std::map<std::string, std::vector<std::chrono::sys_days>, std::less<>>;

constexpr double highest_rate = 1e6;  // a rate in USD per million tokens
constexpr double highest_factor = 100;
constexpr std::size_t longest_text = 1024;
constexpr unsigned first_year = 2000, last_year = 2199;

struct bad_catalogue : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] void fail(std::string_view what, std::string_view problem) {
  throw bad_catalogue(std::string(what) + " " + std::string(problem));
}

bool is_control_character(char each) { return static_cast<unsigned char>(each) < 0x20 || each == 0x7f; }

// Rejects a text with control characters, because commands print the texts of a catalogue to terminals.
std::string checked_text(std::string_view text, std::string_view what) {
  if (text.empty() || text.size() > longest_text) fail(what, "is not a string");
  if (std::any_of(text.begin(), text.end(), is_control_character)) fail(what, "has a control character");
  return std::string(text);
}

std::string text_of(element from, std::string_view what) {
  std::string_view text;
  if (from.get(text) != simdjson::SUCCESS) fail(what, "is not a string");
  return checked_text(text, what);
}

double number_of(element from, std::string_view what, double highest) {
  double number = 0;
  if (from.get(number) != simdjson::SUCCESS || !std::isfinite(number) || number < 0 || number > highest)
    fail(what, "is not a number from 0 to " + std::to_string(static_cast<long>(highest)));
  return number;
}

std::uint64_t count_of(element from, std::string_view what) {
  std::uint64_t count = 0;
  if (from.get(count) != simdjson::SUCCESS || count == 0) fail(what, "is not a whole number above 0");
  return count;
}

bool flag_of(element from, std::string_view what) {
  bool flag = false;
  if (from.get(flag) != simdjson::SUCCESS) fail(what, "is not true or false");
  return flag;
}

object object_of(element from, std::string_view what) {
  object members;
  if (from.get(members) != simdjson::SUCCESS) fail(what, "is not an object");
  return members;
}

simdjson::dom::array list_of(element from, std::string_view what) {
  simdjson::dom::array list;
  if (from.get(list) != simdjson::SUCCESS) fail(what, "is not a list");
  return list;
}

std::vector<std::string> texts_of(element from, std::string_view what) {
  std::vector<std::string> texts;
  for (const element each : list_of(from, what)) texts.push_back(text_of(each, what));
  return texts;
}

std::vector<std::string> words_of(element from, std::string_view what) {
  std::vector<std::string> words = texts_of(from, what);
  if (words.empty()) fail(what, "is empty");
  return words;
}

// Reads a date such as "2026-07-30". Dates after 2262 are rejected, because nanosecond clocks cannot represent them.
std::chrono::sys_days date_of(element from, std::string_view what) {
  const std::string text = text_of(from, what);
  const auto part = [&text](std::size_t begin, std::size_t length) {
    return parse_number<unsigned>(std::string_view(text).substr(begin, length));
  };
  const bool has_shape = text.size() == 10 && text[4] == '-' && text[7] == '-';
  const auto year = has_shape ? part(0, 4) : std::nullopt, month = has_shape ? part(5, 2) : std::nullopt,
             day = has_shape ? part(8, 2) : std::nullopt;
  if (!year || !month || !day) fail(what, "is not a date such as 2026-07-30");
  const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(*year)), std::chrono::month(*month),
                                         std::chrono::day(*day));
  if (!date.ok()) fail(what, "is not a calendar date");
  if (*year < first_year || *year > last_year)
    fail(what, "is outside the years " + std::to_string(first_year) + " to " + std::to_string(last_year));
  return date;
}

// Reads a time of day such as "16:30".
std::chrono::minutes time_of(element from) {
  const std::string text = text_of(from, "a time");
  const bool has_shape = text.size() == 5 && text[2] == ':';
  const auto hours = has_shape ? parse_number<unsigned>(std::string_view(text).substr(0, 2)) : std::nullopt;
  const auto minutes = has_shape ? parse_number<unsigned>(std::string_view(text).substr(3)) : std::nullopt;
  const bool is_time = hours && minutes && *minutes < 60 && (*hours < 24 || (*hours == 24 && *minutes == 0));
  if (!is_time) fail("a time", "is not a time of day such as 16:30");
  return std::chrono::hours(*hours) + std::chrono::minutes(*minutes);
}

// Reads a rate such as 0.15 or [0.15, [200000, 0.3]]. The second form means 0.3 if the prompt has more than 200,000
// tokens, and 0.15 otherwise.
token_rate rate_of(element from, std::string_view what, double factor) {
  if (!from.is_array()) return {number_of(from, what, highest_rate) * factor, {}};
  token_rate rate;
  bool is_first = true;
  for (const element each : list_of(from, what)) {
    if (is_first) {
      rate.usd = number_of(each, what, highest_rate) * factor;
      is_first = false;
      continue;
    }
    const simdjson::dom::array tier = list_of(each, what);
    if (tier.size() != 2) fail(what, "has a size tier that is not [tokens, price]");
    const std::uint64_t above = count_of(tier.at(0).value_unsafe(), what);
    if (!rate.tiers.empty() && rate.tiers.back().above >= above)
      fail(what, "has size tiers that are not in ascending order");
    rate.tiers.push_back({above, number_of(tier.at(1).value_unsafe(), what, highest_rate) * factor});
  }
  if (is_first) fail(what, "is an empty list");
  return rate;
}

std::vector<daily_hours> hours_of(element from) {
  std::vector<daily_hours> hours;
  for (const element each : list_of(from, "hours")) {
    const simdjson::dom::array pair = list_of(each, "hours");
    if (pair.size() != 2) fail("hours", "are not pairs of a start and an end");
    hours.push_back({time_of(pair.at(0).value_unsafe()), time_of(pair.at(1).value_unsafe())});
  }
  return hours;
}

// Reads weekdays such as [1, 2, 3, 4, 5], which means Monday to Friday.
std::uint8_t weekdays_of(element from) {
  unsigned days = 0;
  for (const element each : list_of(from, "weekdays")) {
    const std::uint64_t day = count_of(each, "a weekday");
    if (day > 7) fail("a weekday", "is above 7 (Sunday is 7)");
    days |= 1u << day % 7;
  }
  return static_cast<std::uint8_t>(days);
}

class price_reader {
 public:
  explicit price_reader(const holiday_lists& holidays) : holidays_(holidays) {}

  // Reads the prices of a model: an object with one price for all times, or a list of prices.
  model_prices read(element from, double factor) const {
    model_prices prices;
    if (!from.is_array()) {
      prices.periods.push_back(read_period(object_of(from, "a price"), factor));
      return prices;
    }
    for (const element each : list_of(from, "prices"))
      prices.periods.push_back(read_period(object_of(each, "a price"), factor));
    if (prices.periods.empty()) fail("a tier", "has no price");
    return prices;
  }

 private:
  price read_period(object from, double factor) const {
    price read;
    bool has_input = false, has_output = false;
    for (const auto& [key, value] : from) {
      if (key == "input") read.input = rate_of(value, key, factor), has_input = true;
      else if (key == "output") read.output = rate_of(value, key, factor), has_output = true;
      else if (key == "cached_input") read.cached_input = rate_of(value, key, factor);
      else if (key == "written_input") read.written_input = rate_of(value, key, factor);
      else if (key == "written_for_hour") read.written_for_hour = rate_of(value, key, factor);
      else if (key == "reasoning") read.reasoning = rate_of(value, key, factor);
      else if (key == "request") read.request = number_of(value, key, highest_rate) * factor;
      else read_time(key, value, read.times);
    }
    if (!has_input || !has_output) fail("a price", "lacks input or output");
    return read;
  }

  void read_time(std::string_view key, element value, price_times& into) const {
    if (key == "from") into.from = date_of(value, key);
    else if (key == "hours") into.hours = hours_of(value);
    else if (key == "weekdays") into.weekdays = weekdays_of(value);
    else if (key == "not_on") {
      const auto list = holidays_.find(text_of(value, key));
      if (list == holidays_.end()) fail(key, "names a list of holidays that is not in the catalogue");
      into.holidays = list->second;
    } else {
      fail(key, "is not a valid member of a price");
    }
  }

  const holiday_lists& holidays_;
};

price_tier tier_of(std::string_view word) {
  const std::optional<price_tier> tier = parse_price_tier(word);
  if (!tier || to_string(*tier) != word) fail(word, "is not a valid tier");
  return *tier;
}

// Reads the prices of tiers, such as {"standard": price, "priority": 2}. A plain number is a factor for the standard
// price.
tier_prices read_tiers(element from, const price_reader& reader) {
  tier_prices::by_tier tiers;
  const object members = object_of(from, "prices");
  const auto standard = members["standard"];
  for (const auto& [key, value] : members) {
    const bool is_factor = value.is_number();
    if (is_factor && standard.error() != simdjson::SUCCESS) fail(key, "is a factor of the standard price, but there is "
                                                                      "no standard price");
    if (is_factor && key == "standard") fail(key, "is a factor of the standard price, but the standard tier needs a "
                                                  "price");
    const double factor = is_factor ? number_of(value, key, highest_factor) : 1;
    tiers.emplace(tier_of(key), reader.read(is_factor ? standard.value_unsafe() : element(value), factor));
  }
  return tier_prices(std::move(tiers));
}

std::vector<std::string> names_of(element from, std::string_view what) {
  std::vector<std::string> names = texts_of(from, what);
  const auto is_capital = [](char each) { return each >= 'A' && each <= 'Z'; };
  for (const std::string& name : names)
    if (std::any_of(name.begin(), name.end(), is_capital)) fail("'" + name + "'", "is not in lower case");
  return names;
}

std::vector<std::size_t> places_of(element from, std::size_t count) {
  std::vector<std::size_t> places;
  for (const element each : list_of(from, "sources")) {
    std::uint64_t place = 0;
    if (each.get(place) != simdjson::SUCCESS || place >= count) fail("sources", "names a source that is not listed");
    places.push_back(place);
  }
  return places;
}

void read_fact(std::string_view key, element value, catalogue_model& into) {
  if (key == "context") into.context = count_of(value, key);
  else if (key == "max_output") into.max_output = count_of(value, key);
  else if (key == "efforts") into.efforts = {true, words_of(value, key)};
  else if (key == "reads") into.reads = texts_of(value, key);
  else if (key == "writes") into.writes = texts_of(value, key);
  else if (key == "responses_only") into.is_responses_only = flag_of(value, key);
  else if (key == "ends") into.ends = date_of(value, key);
  else if (key == "successor") into.successor = text_of(value, key);
  else fail(key, "is not a valid member of a model");
}

class models_reader {
 public:
  models_reader(const holiday_lists& holidays, std::size_t sources) : prices_(holidays), sources_(sources) {}

  std::vector<catalogue_model> read(element from) {
    std::vector<catalogue_model> models;
    std::size_t row = 0;
    for (const element each : list_of(from, "the provider")) {
      ++row;
      try {
        models.push_back(read_model(object_of(each, "a model")));
      } catch (const bad_catalogue& error) {
        throw bad_catalogue("row " + std::to_string(row) + ": " + error.what());
      }
    }
    check_names(models);
    return models;
  }

 private:
  catalogue_model read_model(object from) {
    catalogue_model model;
    for (const auto& [key, value] : from) {
      if (key == "names") model.names = names_of(value, key);
      else if (key == "prefixes") model.prefixes = names_of(value, key);
      else if (key == "sources") model.sources = places_of(value, sources_);
      else if (key == "prices") model.prices = read_prices(value);
      else read_fact(key, value, model);
    }
    if (model.names.empty() && model.prefixes.empty()) fail("a model", "has no name");
    if (model.sources.empty()) fail("a model", "has no source");
    return model;
  }

  tier_prices read_prices(element from) {
    tier_prices& known = known_[simdjson::minify(from)];
    if (known.empty()) known = read_tiers(from, prices_);
    return known;
  }

  static void check_names(const std::vector<catalogue_model>& models) {
    std::vector<std::string_view> names;
    for (const catalogue_model& model : models) names.insert(names.end(), model.names.begin(), model.names.end());
    std::sort(names.begin(), names.end());
    const auto twin = std::adjacent_find(names.begin(), names.end());
    if (twin != names.end()) fail("'" + std::string(*twin) + "'", "occurs in two rows");
  }

  price_reader prices_;
  std::size_t sources_;
  std::map<std::string, tier_prices> known_;  // the prices that were already read; the key is their JSON text
};

std::vector<catalogue_source> read_sources(element from) {
  std::vector<catalogue_source> sources;
  for (const element each : list_of(from, "sources")) {
    catalogue_source source;
    for (const auto& [key, value] : object_of(each, "a source")) {
      if (key == "name") source.name = text_of(value, key);
      else if (key == "version") source.version = text_of(value, key);
      else if (key == "licence") source.licence = text_of(value, key);
      else if (key == "date") source.date = date_of(value, key);
      else if (key != "sha256") fail(key, "is not a valid member of a source");
    }
    if (source.name.empty() || source.date == std::chrono::sys_days{}) fail("a source", "lacks name or date");
    sources.push_back(std::move(source));
  }
  if (sources.empty()) fail("sources", "is empty");
  return sources;
}

holiday_lists read_holidays(element from) {
  holiday_lists lists;
  for (const auto& [name, days] : object_of(from, "holidays")) {
    std::vector<std::chrono::sys_days>& list = lists[std::string(name)];
    for (const element day : list_of(days, "holidays")) list.push_back(date_of(day, "a holiday"));
    std::sort(list.begin(), list.end());
  }
  return lists;
}

catalogue::betas_by_cloud read_betas(element from) {
  catalogue::betas_by_cloud clouds;
  for (const auto& [cloud, betas] : object_of(from, "betas"))
    for (const auto& [beta, name] : object_of(betas, "betas"))
      clouds[std::string(cloud)].emplace(std::string(beta), text_of(name, "a beta"));
  return clouds;
}

element member_of(object from, std::string_view name) {
  const auto member = from[name];
  if (member.error() != simdjson::SUCCESS) fail(name, "is missing");
  return member.value_unsafe();
}

catalogue::models_by_provider read_models(object from, std::size_t sources) {
  const holiday_lists holidays = read_holidays(member_of(from, "holidays"));
  models_reader reader(holidays, sources);
  catalogue::models_by_provider models;
  for (const auto& [provider, rows] : object_of(member_of(from, "providers"), "providers")) {
    try {
      models.emplace(checked_text(provider, "its name"), reader.read(rows));
    } catch (const bad_catalogue& error) {
      throw bad_catalogue("provider '" + std::string(provider) + "', " + error.what());
    }
  }
  if (models.empty()) fail("providers", "is empty");
  return models;
}

catalogue::contents read_contents(element document, std::string_view text) {
  constexpr std::array<std::string_view, 6> members{"schema", "as_of", "sources", "holidays", "betas", "providers"};
  const object from = object_of(document, "the text");
  for (const auto& [key, value] : from)
    if (!contains(members, key)) fail("'" + std::string(key) + "'", "is not a valid member of a catalogue");
  const std::uint64_t schema = count_of(member_of(from, "schema"), "schema");
  if (schema != catalogue_schema)
    fail("schema", "is " + std::to_string(schema) + ", but this version reads " + std::to_string(catalogue_schema));
  catalogue::contents all;
  all.id = sha256_hex(text);
  all.as_of = date_of(member_of(from, "as_of"), "as_of");
  all.sources = read_sources(member_of(from, "sources"));
  all.betas = read_betas(member_of(from, "betas"));
  all.models = read_models(from, all.sources.size());
  return all;
}

// Rejects an object in which two members have the same name. JSON parsers disagree about which of the two counts, so a
// signed file could have two meanings.
void check_twins(element value) {
  if (value.is_array())
    for (const element each : list_of(value, "a list")) check_twins(each);
  if (!value.is_object()) return;
  std::vector<std::string_view> keys;
  for (const auto& [key, member] : object_of(value, "an object")) {
    keys.push_back(key);
    check_twins(member);
  }
  std::sort(keys.begin(), keys.end());
  const auto twin = std::adjacent_find(keys.begin(), keys.end());
  if (twin != keys.end()) fail("'" + std::string(*twin) + "'", "occurs twice in one object");
}

// Returns the error as a single line of at most 300 bytes. The error may contain long names from the file.
std::string sentence_of(std::string_view error) {
  constexpr std::size_t longest = 300;
  std::string sentence(error.substr(0, longest));
  std::replace_if(sentence.begin(), sentence.end(), is_control_character, '?');
  return sentence;
}

}  // namespace

catalogue_result parse_catalogue(std::string_view text) {
  simdjson::dom::parser parser;
  element document;
  if (const auto error = parser.parse(text.data(), text.size()).get(document); error != simdjson::SUCCESS)
    return {nullptr, std::string("the catalogue is not valid JSON: ") + simdjson::error_message(error)};
  try {
    check_twins(document);
    return {std::make_shared<const catalogue>(read_contents(document, text)), {}};
  } catch (const bad_catalogue& error) {
    return {nullptr, sentence_of(std::string("the catalogue is not valid: ") + error.what())};
  }
}

}  // namespace photofinish::proxy
