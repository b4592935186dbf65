#include "proxy/providers/model_facts.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
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
  if (word == "level") return thinking_form::level;
  if (word == "none") return thinking_form::none;
  throw std::invalid_argument("models.yaml: thinking: " + word);
}

model_facts read_row(const YAML::Node& row) {
  model_facts facts;
  facts.match = row["match"].as<words>();
  facts.thinking = read_thinking(row["thinking"].as<std::string>());
  facts.takes_budget = value_or(row["takes_budget"], false);
  facts.always_thinks = value_or(row["always_thinks"], false);
  facts.efforts = value_or(row["efforts"], words{});
  facts.effort_is_beta = value_or(row["effort_is_beta"], false);
  facts.least_budget = value_or(row["least_budget"], std::int64_t{0});
  facts.most_budget = value_or(row["most_budget"], std::int64_t{0});
  facts.drop_params = value_or(row["drop"], words{});
  facts.one_sampling = value_or(row["one_sampling"], false);
  facts.takes_prefill = value_or(row["prefill"], true);
  facts.calls_beside_json = value_or(row["calls_beside_json"], false);
  facts.demands_signatures = value_or(row["signatures"], false);
  facts.context = value_or(row["context"], std::uint64_t{0});
  facts.max_output = value_or(row["max_output"], std::uint64_t{0});
  facts.as_of = row["as_of"].as<std::string>();
  return facts;
}

std::vector<model_facts> read_rows(const char* list) {
  std::vector<model_facts> all;
  for (const YAML::Node& row : YAML::Load(std::string(models_text))[list]) all.push_back(read_row(row));
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
    facts.takes_cache_points = value_or(row["cache_points"], false);
    facts.wants_results_alone = value_or(row["results_alone"], false);
    facts.wants_short_ids = value_or(row["short_ids"], false);
    facts.result_media = value_or(row["result_media"], words{"image"});
    facts.as_of = row["as_of"].as<std::string>();
    all.push_back(std::move(facts));
  }
  return all;
}

demanded_reasoning read_demand(const std::string& word) {
  if (word.empty()) return demanded_reasoning::none;
  if (word == "of_calls") return demanded_reasoning::of_calls;
  if (word == "of_all") return demanded_reasoning::of_all;
  throw std::invalid_argument("models.yaml: reasoning_content: " + word);
}

std::vector<openai_facts> read_all_of_openai() {
  std::vector<openai_facts> all;
  for (const YAML::Node& row : YAML::Load(std::string(models_text))["openai"]) {
    openai_facts facts;
    facts.match = row["match"].as<words>();
    facts.at = value_or(row["at"], words{});
    facts.serves_chat = value_or(row["chat"], true);
    facts.thinks = value_or(row["thinks"], false);
    facts.renames_max_tokens = value_or(row["max_completion_tokens"], false);
    facts.drop_params = value_or(row["drop"], words{});
    facts.reject_params = value_or(row["reject"], words{});
    facts.takes_all_unthinking = value_or(row["unless_none"], false);
    facts.demands = read_demand(value_or(row["reasoning_content"], std::string()));
    facts.as_of = row["as_of"].as<std::string>();
    all.push_back(std::move(facts));
  }
  return all;
}

const std::vector<model_facts>& claudes() {
  static const std::vector<model_facts> all = read_rows("families");
  return all;
}

const std::vector<model_facts>& geminis() {
  static const std::vector<model_facts> all = read_rows("gemini");
  return all;
}

// What stands between asterisks is in the name in that order.
bool matches(std::string_view pattern, std::string_view name) {
  while (true) {
    const std::size_t star = pattern.find('*');
    const std::string_view piece = pattern.substr(0, star);
    const std::size_t found = name.find(piece);
    if (found == std::string_view::npos) return false;
    if (star == std::string_view::npos) return true;
    name.remove_prefix(found + piece.size());
    pattern.remove_prefix(star + 1);
  }
}

// Behind a ^ the name begins, or what stands behind its last slash does.
bool matches_from(std::string_view pattern, std::string_view name) {
  if (!pattern.starts_with('^')) return matches(pattern, name);
  pattern.remove_prefix(1);
  const std::size_t slash = name.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? name : name.substr(slash + 1);
  return last.starts_with(pattern.substr(0, pattern.find('*'))) && matches(pattern, last);
}

// What names meant when they were last asked for. A request asks once or twice for each of its targets, and to go
// through all patterns takes 5,500 instructions (callgrind). A name takes the place of one that falls to the same.
template <class Facts>
class last_answers {
 public:
  template <class Find>
  const Facts& get(std::string_view model, std::string_view preset, const Find& find) {
    if (model.size() > longest_name) return find();
    const std::hash<std::string_view> hash;
    place& at = places_[(hash(model) + 31 * hash(preset)) % places_.size()];
    const bool is_it = at.facts != nullptr && at.model == model && at.preset == preset;
    if (!is_it) at = {std::string(model), std::string(preset), &find()};
    return *at.facts;
  }

 private:
  struct place {
    std::string model;
    std::string preset;
    const Facts* facts = nullptr;
  };

  static constexpr std::size_t longest_name = 200;  // bytes; real ones have fewer, and a caller may send any
  std::array<place, 128> places_;
};

const model_facts& first_of(const std::vector<model_facts>& rows, std::string_view model,
                            const model_facts& otherwise) {
  std::string name(model);
  std::replace(name.begin(), name.end(), '.', '-');
  for (const model_facts& facts : rows)
    for (const std::string& pattern : facts.match)
      if (matches(pattern, name)) return facts;
  return otherwise;
}

}  // namespace

const std::vector<model_facts>& all_model_facts() {
  static const std::vector<model_facts> all = [] {
    std::vector<model_facts> joined = claudes();
    joined.insert(joined.end(), geminis().begin(), geminis().end());
    return joined;
  }();
  return all;
}

const model_facts& facts_of(std::string_view model) {
  static const model_facts unknown;
  thread_local last_answers<model_facts> last;
  return last.get(model, {}, [&]() -> const model_facts& { return first_of(claudes(), model, unknown); });
}

const model_facts& gemini_facts_of(std::string_view model) {
  static const model_facts unknown{.thinking = thinking_form::none};
  thread_local last_answers<model_facts> last;
  return last.get(model, {}, [&]() -> const model_facts& { return first_of(geminis(), model, unknown); });
}

const std::vector<openai_facts>& all_openai_facts() {
  static const std::vector<openai_facts> all = read_all_of_openai();
  return all;
}

namespace {

const openai_facts& find_openai_facts(std::string_view model, std::string_view preset) {
  static const openai_facts unknown;
  std::string name(model);
  std::replace(name.begin(), name.end(), '.', '-');
  for (const openai_facts& facts : all_openai_facts()) {
    const bool holds_there = facts.at.empty() || std::find(facts.at.begin(), facts.at.end(), preset) != facts.at.end();
    const bool is_its = std::any_of(facts.match.begin(), facts.match.end(),
                                    [&name](const std::string& each) { return matches_from(each, name); });
    if (holds_there && is_its) return facts;
  }
  return unknown;
}

}  // namespace

const openai_facts& openai_facts_of(std::string_view model, std::string_view preset) {
  thread_local last_answers<openai_facts> last;
  return last.get(model, preset, [&]() -> const openai_facts& { return find_openai_facts(model, preset); });
}

const std::vector<converse_facts>& all_converse_facts() {
  static const std::vector<converse_facts> all = read_all_of_converse();
  return all;
}

const converse_facts& converse_facts_of(std::string_view model) {
  static const converse_facts unknown;
  for (const converse_facts& each : all_converse_facts())
    for (const std::string& part : each.match)
      if (model.find(part) != std::string_view::npos) return each;
  return unknown;
}

void read_model_facts() {
  all_model_facts();
  all_openai_facts();
  all_converse_facts();
}

}  // namespace photofinish::proxy
