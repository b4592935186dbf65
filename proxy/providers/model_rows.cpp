#include "proxy/providers/model_rows.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <stdexcept>

namespace photofinish::proxy {

extern const std::string_view models_text;       // the text of the file models.yaml
extern const std::string_view model_facts_text;  // the text of the file model_facts.yaml

namespace {

using words = std::vector<std::string>;

template <class T>
T value_or(const YAML::Node& node, T fallback) {
  return node ? node.as<T>() : fallback;
}

template <class T>
struct named_value {
  std::string_view name;
  T value;
};

// Parses a word in a YAML file that is compiled into the program. An unknown word is a bug, which the tests find.
template <class T>
T parse_word(const char* what, const std::string& word, std::initializer_list<named_value<T>> all) {
  for (const auto& [name, value] : all)
    if (name == word) return value;
  throw std::invalid_argument(std::string("models.yaml: ") + what + ": " + word);
}

thinking_form read_thinking(const std::string& word) {
  using enum thinking_form;
  return parse_word<thinking_form>(
      "thinking", word,
      {{"adaptive", adaptive}, {"budget", budget}, {"level", level}, {"none", none}, {"refused", refused}});
}

model_facts read_family(const YAML::Node& row) {
  model_facts facts;
  facts.match = row["match"].as<words>();
  facts.thinking.form = read_thinking(row["thinking"].as<std::string>());
  facts.thinking.takes_budget = value_or(row["takes_budget"], false);
  facts.thinking.is_always_on = value_or(row["always_thinks"], false);
  facts.thinking.off = value_or(row["off"], facts.thinking.off);
  facts.thinking.off_effort = value_or(row["off_effort"], std::string());
  facts.thinking.effort_is_beta = value_or(row["effort_is_beta"], false);
  facts.thinking.least_budget = value_or(row["least_budget"], std::int64_t{0});
  facts.thinking.most_budget = value_or(row["most_budget"], std::int64_t{0});
  facts.drop_params = value_or(row["drop"], words{});
  facts.one_sampling = value_or(row["one_sampling"], false);
  facts.takes_prefill = value_or(row["prefill"], true);
  facts.takes_forced_calls = value_or(row["forced_calls"], true);
  facts.is_catch_all = value_or(row["catch_all"], false);
  facts.takes_fast = value_or(row["fast"], false);
  facts.takes_tiers = value_or(row["tiers"], true);
  facts.thinking.is_bound = value_or(row["binds_thinking"], false);
  facts.refused_tools = value_or(row["refused_tools"], words{});
  facts.calls_beside_json = value_or(row["calls_beside_json"], false);
  facts.demands_signatures = value_or(row["signatures"], false);
  facts.as_of = row["as_of"].as<std::string>();
  return facts;
}

demanded_reasoning read_demand(const std::string& word) {
  using enum demanded_reasoning;
  return parse_word<demanded_reasoning>("reasoning_content", word,
                                        {{"", none}, {"of_calls", of_calls}, {"of_all", of_all}});
}

chat_tools read_chat_tools(const YAML::Node& places, const char* place) {
  const std::string word = places ? value_or(places[place], std::string("always")) : "always";
  using enum chat_tools;
  return parse_word<chat_tools>("chat_tools", word,
                                {{"always", always}, {"without_effort", without_effort}, {"with_none", with_none}});
}

forced_calls read_forced(const std::string& word) {
  using enum forced_calls;
  return parse_word<forced_calls>(
      "forced_calls", word, {{"taken", taken}, {"unthinking", unthinking}, {"chat", chat}, {"refused", refused}});
}

off_switch read_off(const std::string& word) {
  using enum off_switch;
  return parse_word<off_switch>(
      "off", word, {{"none", effort_none}, {"thinking", thinking}, {"enable_thinking", enable_thinking}});
}

void read_openai_refusals(const YAML::Node& row, openai_facts& facts) {
  facts.params.drop = value_or(row["drop"], words{});
  facts.params.reject = value_or(row["reject"], words{});
  facts.params.never = value_or(row["never"], words{});
  facts.params.never_reject = value_or(row["never_rejects"], words{});
  facts.thinking.max_on_chat = value_or(row["max_on_chat"], true);
  facts.tools.on_chat = {read_chat_tools(row["chat_tools"], "openai"), read_chat_tools(row["chat_tools"], "foundry"),
                 read_chat_tools(row["chat_tools"], "elsewhere")};
  facts.tools.forced = read_forced(value_or(row["forced_calls"], std::string("taken")));
  facts.tools.chooses_auto = value_or(row["choice"], std::string()) == "auto";
  facts.schema_on_chat = value_or(row["schema_on_chat"], true);
  const auto stops = value_or(row["stops"], std::vector<std::size_t>{0, 0});
  facts.most_stops = stops.at(0);
  facts.longest_stop = stops.at(1);
}

openai_facts read_openai_row(const YAML::Node& row) {
  openai_facts facts;
  facts.match = row["match"].as<words>();
  facts.at = value_or(row["at"], words{});
  facts.serves_responses = value_or(row["responses"], true);
  facts.is_catch_all = value_or(row["catch_all"], false);
  facts.thinking.is_possible = value_or(row["thinks"], false);
  facts.renames_max_tokens = value_or(row["max_completion_tokens"], false);
  read_openai_refusals(row, facts);
  facts.thinking.default_effort = value_or(row["default_effort"], std::string());
  for (const auto& [from, to] : value_or(row["effort_as"], std::map<std::string, std::string>{}))
    facts.thinking.effort_as.emplace(from, to);
  facts.thinking.is_always_on = value_or(row["always_thinks"], false);
  facts.thinking.off = read_off(value_or(row["off"], std::string("none")));
  facts.thinking.is_adaptive = value_or(row["adaptive"], false);
  facts.tools.wants_stream = value_or(row["tool_stream"], false);
  facts.wants_inline_refs = value_or(row["inline_refs"], false);
  facts.wants_short_ids = value_or(row["short_ids"], false);
  facts.conversation_header = value_or(row["conversation_header"], std::string());
  facts.applies_edits = value_or(row["edits"], true);
  facts.mantle_path = value_or(row["path"], std::string());
  facts.thinking.demands = read_demand(value_or(row["reasoning_content"], std::string()));
  facts.as_of = row["as_of"].as<std::string>();
  return facts;
}

// Reads a row for Converse. A model accepts only the members that its row lists.
converse_facts read_converse_row(const YAML::Node& row) {
  converse_facts facts;
  facts.match = row["match"].as<words>();
  facts.think = value_or(row["think"], std::string());
  facts.top_k = value_or(row["top_k"], std::string());
  facts.drop_params = value_or(row["drop"], words{});
  facts.takes_forced_calls = value_or(row["forced_calls"], false);
  facts.takes_schema = value_or(row["schema"], false);
  facts.takes_result_status = value_or(row["result_status"], true);
  facts.takes_tiers = value_or(row["tiers"], false);
  facts.takes_cache_points = value_or(row["cache_points"], false);
  facts.wants_results_alone = value_or(row["results_alone"], false);
  facts.wants_short_ids = value_or(row["short_ids"], false);
  facts.wants_inline_refs = value_or(row["inline_refs"], false);
  facts.result_media = value_or(row["result_media"], words{"image"});
  facts.as_of = row["as_of"].as<std::string>();
  return facts;
}

template <class Row>
std::vector<Row> read_list(std::string_view text, const char* list, Row (*read)(const YAML::Node&)) {
  std::vector<Row> all;
  for (const YAML::Node& row : YAML::Load(std::string(text))[list]) all.push_back(read(row));
  return all;
}

known_efforts read_efforts(const YAML::Node& node) {
  return node && node.IsSequence() ? known_efforts{true, node.as<words>()} : known_efforts{};
}

fact_row read_fact_row(const YAML::Node& row) {
  return {.match = row["match"].as<words>(),
          .at = value_or(row["at"], words{}),
          .reason = value_or(row["reason"], std::string()),
          .like = value_or(row["like"], std::string()),
          .efforts_like = value_or(row["efforts_like"], std::string()),
          .efforts_at = value_or(row["efforts_at"], std::string()),
          .efforts = read_efforts(row["efforts"]),
          .are_efforts_unsure = row["efforts"] && row["efforts"].IsScalar(),
          .limits = {.context = value_or(row["context"], std::uint64_t{0}),
                     .max_output = value_or(row["max_output"], std::uint64_t{0})},
          .is_responses_only = value_or(row["responses_only"], false)};
}

// True if the part of a model's name after the matched pattern is empty, or begins with a date, a cloud's version or a
// region.
bool is_name_over(std::string_view rest) {
  return rest.empty() || rest.front() == '@' || rest.front() == ':' || rest.starts_with("-v") ||
         rest.starts_with("-20");
}

}  // namespace

std::vector<model_facts> read_families(const char* list) { return read_list(models_text, list, read_family); }

std::vector<openai_facts> read_openai_rows() { return read_list(models_text, "openai", read_openai_row); }

std::vector<converse_facts> read_converse_rows() { return read_list(models_text, "converse", read_converse_row); }

std::vector<fact_row> read_fact_rows(const char* list) { return read_list(model_facts_text, list, read_fact_row); }

std::map<std::string, cloud_facts, std::less<>> read_clouds() {
  std::map<std::string, cloud_facts, std::less<>> all;
  for (const auto& each : YAML::Load(std::string(models_text))["clouds"]) {
    cloud_facts& cloud = all[each.first.as<std::string>()];
    cloud.drop_params = value_or(each.second["drop"], words{});
    cloud.reject_params = value_or(each.second["reject"], words{});
    cloud.hosted_tools = value_or(each.second["hosted_tools"], words{});
    cloud.takes_top_mark = value_or(each.second["top_mark"], true);
  }
  for (const auto& each : YAML::Load(std::string(model_facts_text))["betas"])
    all[each.first.as<std::string>()].refused_betas = value_or(each.second["refuses"], words{});
  return all;
}

std::map<std::string, std::vector<std::string>, std::less<>> read_beta_members() {
  std::map<std::string, words, std::less<>> all;
  for (const auto& each : YAML::Load(std::string(models_text))["beta_members"])
    all.emplace(each.first.as<std::string>(), each.second.as<words>());
  return all;
}

bool matches_name(std::string_view pattern, std::string_view name) {
  if (pattern.starts_with('^')) {
    pattern.remove_prefix(1);
    const std::size_t slash = name.rfind('/');
    if (slash != std::string_view::npos) name.remove_prefix(slash + 1);
    if (!name.starts_with(pattern.substr(0, pattern.find_first_of("*$")))) return false;
  }
  const bool is_ended = pattern.ends_with('$');
  if (is_ended) pattern.remove_suffix(1);
  while (true) {
    const std::size_t star = pattern.find('*');
    const std::string_view piece = pattern.substr(0, star);
    const std::size_t found = name.find(piece);
    if (found == std::string_view::npos) return false;
    name.remove_prefix(found + piece.size());
    if (star == std::string_view::npos) return !is_ended || is_name_over(name);
    pattern.remove_prefix(star + 1);
  }
}

bool matches_any(const std::vector<std::string>& patterns, std::string_view name) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [name](const std::string& each) { return matches_name(each, name); });
}

bool holds_at(const std::vector<std::string>& places, std::string_view place) {
  const auto is_there = [place](const std::string& each) {
    return place == each || (place.size() > each.size() && place.ends_with(each) &&
                             place[place.size() - each.size() - 1] == '.');
  };
  return places.empty() || std::any_of(places.begin(), places.end(), is_there);
}

}  // namespace photofinish::proxy
