#include "proxy/providers/model_facts.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace photofinish::proxy {

extern const std::string_view models_text;  // generated from models.yaml

namespace {

using words = std::vector<std::string>;

template <class T>
T value_or(const YAML::Node& node, T fallback) {
  return node ? node.as<T>() : fallback;
}

// The compiled-in text is ours: an unknown word in it is a bug, and a test finds it.
thinking_form read_thinking(const std::string& word) {
  if (word == "adaptive") return thinking_form::adaptive;
  if (word == "budget") return thinking_form::budget;
  if (word == "none") return thinking_form::none;
  throw std::invalid_argument("models.yaml: thinking: " + word);
}

std::vector<model_facts> read_all() {
  std::vector<model_facts> all;
  for (const YAML::Node& row : YAML::Load(std::string(models_text))["families"]) {
    model_facts facts;
    facts.match = row["match"].as<words>();
    facts.thinking = read_thinking(row["thinking"].as<std::string>());
    facts.takes_budget = value_or(row["takes_budget"], false);
    facts.always_thinks = value_or(row["always_thinks"], false);
    facts.efforts = value_or(row["efforts"], words{});
    facts.effort_is_beta = value_or(row["effort_is_beta"], false);
    facts.drop_params = value_or(row["drop"], words{});
    facts.one_sampling = value_or(row["one_sampling"], false);
    facts.takes_prefill = value_or(row["prefill"], true);
    facts.max_output = row["max_output"].as<std::uint64_t>();
    facts.as_of = row["as_of"].as<std::string>();
    all.push_back(std::move(facts));
  }
  return all;
}

// What a row does not name, its models do not take.
std::vector<converse_facts> read_all_of_converse() {
  std::vector<converse_facts> all;
  for (const YAML::Node& row : YAML::Load(std::string(models_text))["converse"]) {
    converse_facts facts;
    facts.match = row["match"].as<words>();
    facts.think = value_or(row["think"], std::string());
    facts.efforts = value_or(row["efforts"], words{});
    facts.top_k = value_or(row["top_k"], std::string());
    facts.drop_params = value_or(row["drop"], words{});
    facts.takes_forced_calls = value_or(row["forced_calls"], false);
    facts.takes_schema = value_or(row["schema"], false);
    facts.takes_result_status = value_or(row["result_status"], true);
    facts.wants_results_alone = value_or(row["results_alone"], false);
    facts.wants_short_ids = value_or(row["short_ids"], false);
    facts.result_media = value_or(row["result_media"], words{"image"});
    facts.as_of = row["as_of"].as<std::string>();
    all.push_back(std::move(facts));
  }
  return all;
}

template <class facts>
const facts& first_of(const std::vector<facts>& all, std::string_view name) {
  static const facts unknown;
  for (const facts& each : all)
    for (const std::string& part : each.match)
      if (name.find(part) != std::string_view::npos) return each;
  return unknown;
}

}  // namespace

const std::vector<model_facts>& all_model_facts() {
  static const std::vector<model_facts> all = read_all();
  return all;
}

const model_facts& facts_of(std::string_view model) {
  std::string name(model);
  std::replace(name.begin(), name.end(), '.', '-');
  return first_of(all_model_facts(), name);
}

const std::vector<converse_facts>& all_converse_facts() {
  static const std::vector<converse_facts> all = read_all_of_converse();
  return all;
}

const converse_facts& converse_facts_of(std::string_view model) { return first_of(all_converse_facts(), model); }

}  // namespace photofinish::proxy
