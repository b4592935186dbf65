#include "proxy/providers/presets.hpp"

#include "proxy/json/character_set.hpp"
#include "proxy/providers/behaviour_words.hpp"
#include "proxy/providers/catalogue.hpp"
#include "proxy/words/parse_number.hpp"

#include <yaml-cpp/yaml.h>

#include <array>
#include <string_view>

namespace photofinish::proxy {

extern const std::string_view presets_text;  // the text of the file presets.yaml

namespace {

struct known_things {
  std::map<std::string, preset> presets;
  std::vector<race_group> groups;
};

// Reads a word or a list of words. Returns an empty list if the node is absent.
std::vector<std::string> words(const YAML::Node& node) {
  if (!node) return {};
  return node.IsSequence() ? node.as<std::vector<std::string>>() : std::vector{node.as<std::string>()};
}

served_apis read_apis(const YAML::Node& node) {
  served_apis apis;
  for (const std::string& word : words(node)) apis.add(parse_served_api(word).value());
  return apis;
}

template <class T>
T value_or(const YAML::Node& node, T fallback) {
  return node ? node.as<T>() : fallback;
}

// Reads "5m" or "2h".
std::chrono::milliseconds read_minutes(const std::string& text) {
  const auto count = parse_leading_number<int>(text).value();
  return text.ends_with('h') ? std::chrono::hours(count) : std::chrono::minutes(count);
}

// Reads a single name for all APIs, or an object {chat: name, responses: name}.
prompt_hint_fields read_hint(const YAML::Node& node) {
  if (!node) return {};
  if (node.IsMap()) return {value_or(node["chat"], std::string()), value_or(node["responses"], std::string())};
  const auto name = node.as<std::string>();
  return {name, name};
}

prompt_cache_traits read_prompt_cache(const YAML::Node& node) {
  prompt_cache_traits traits;
  if (!node) return traits;
  if (node["ttl"]) traits.ttl = read_minutes(node["ttl"].as<std::string>());
  traits.minimum = value_or(node["minimum"], traits.minimum);
  traits.step = value_or(node["step"], traits.step);
  if (node["marks"]) traits.marks = parse_word<prompt_marks>(node["marks"].as<std::string>()).value();
  if (node["reported"]) traits.reported = parse_word<cached_report>(node["reported"].as<std::string>()).value();
  traits.hint = read_hint(node["hint"]);
  traits.hint_models = words(node["hint_models"]);
  return traits;
}

// Reads the behaviour of a preset that is compiled into the program. An unknown word in a preset is a bug. value() then
// throws an exception, so a test finds the bug.
behaviour read_behaviour(const YAML::Node& node) {
  behaviour behaves;
  if (node["usage"]) behaves.usage = parse_word<usage_in_stream>(node["usage"].as<std::string>()).value();
  behaves.rename_params = value_or(node["rename_params"], std::map<std::string, std::string>{});
  behaves.drop_params = words(node["drop_params"]);
  behaves.accept_params = words(node["accept_params"]);
  behaves.reject_params = words(node["reject_params"]);
  behaves.developer_role = value_or(node["developer_role"], true);
  behaves.apply_message = value_or(node["apply_message"], false);
  behaves.append_only = value_or(node["append_only"], true);
  behaves.base64_embeddings = value_or(node["base64_embeddings"], true);
  if (node["cancel_billing"])
    behaves.billing = parse_word<cancel_billing>(node["cancel_billing"].as<std::string>()).value();
  behaves.tiers = node["tiers"] ? parse_word<tier_form>(node["tiers"].as<std::string>()).value() : tier_form::none;
  if (node["prefill"]) behaves.prefill = parse_word<prefill_form>(node["prefill"].as<std::string>()).value();
  behaves.prompt_cache = read_prompt_cache(node["prompt_cache"]);
  return behaves;
}

provider read_defaults(const std::string& name, const YAML::Node& node) {
  provider defaults;
  defaults.name = defaults.preset = name;
  defaults.dialect = value_or(node["dialect"], defaults.dialect);
  if (node["auth"]) defaults.key.auth = parse_word<auth_style>(node["auth"].as<std::string>()).value();
  defaults.key.header = value_or(node["auth_header"], std::string());
  if (node["apis"]) defaults.apis = read_apis(node["apis"]);
  defaults.key.is_optional = defaults.key.is_unneeded = value_or(node["key_optional"], false);
  for (const auto& header : node["headers"])
    defaults.headers.emplace_back(header.first.as<std::string>(), header.second.as<std::string>());
  defaults.behaves = read_behaviour(node);
  if (node["idle_timeout_ms"])
    defaults.limits.idle_timeout = std::chrono::milliseconds(node["idle_timeout_ms"].as<int>());
  if (node["max_spares"]) defaults.limits.max_spares = node["max_spares"].as<std::size_t>();
  return defaults;
}

// Returns the YAML node for the provider's OpenAI API. The members of `openai` replace the provider's own members.
YAML::Node compatible_node(const YAML::Node& node) {
  constexpr std::array shared{"base_url", "key",            "key_optional", "needs",  "hosts",
                              "endpoint", "cancel_billing", "prompt_cache", "source", "as_of"};
  YAML::Node made;
  for (const char* key : shared)
    if (node[key]) made[key] = node[key];
  for (const auto& entry : node["openai"]) made[entry.first.as<std::string>()] = entry.second;
  return made;
}

preset read_preset(const std::string& name, const YAML::Node& node) {
  preset known;
  known.defaults = read_defaults(name, node);
  known.base_url = node["base_url"].as<std::string>();
  known.needs = value_or(node["needs"], std::map<std::string, std::string>{});
  if (node["endpoint"]) {
    known.endpoint_variable = node["endpoint"]["variable"].as<std::string>();
    known.endpoint_path = node["endpoint"]["path"].as<std::string>();
  }
  known.hosts = value_or(node["hosts"], std::map<std::string, std::map<std::string, std::string>>{});
  known.key_variables = words(node["key"]);
  if (!known.key_variables.empty()) known.defaults.key.variable = known.key_variables.front();
  known.as_of = node["as_of"].as<std::string>();
  known.source = value_or(node["source"], std::string());
  known.notes = value_or(node["notes"], std::string());
  if (known.needs.empty()) known.defaults.url = parse_base_url(known.base_url).url.value();
  if (node["openai"]) known.compatible.push_back(read_preset(name, compatible_node(node)));
  return known;
}

known_things read_all() {
  known_things things;
  const YAML::Node root = YAML::Load(std::string(presets_text));
  for (const auto& entry : root["presets"]) {
    const auto name = entry.first.as<std::string>();
    things.presets.emplace(name, read_preset(name, entry.second));
  }
  for (const auto& entry : root["groups"])
    things.groups.push_back({entry.first.as<std::string>(), words(entry.second)});
  return things;
}

const known_things& all() {
  static const known_things things = read_all();
  return things;
}

bool is_plain_word(std::string_view text) {
  return !text.empty() && consists_of_letters(text, "-_.");
}

void replace_all(std::string& text, const std::string& part, const std::string& by) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + by.size()))
    text.replace(at, part.size(), by);
}

// Returns the host name in a text that may be a URL. Databricks' own tools write the host name as a URL.
std::string host_in(std::string text) {
  constexpr std::string_view scheme = "https://";
  if (text.starts_with(scheme)) text.erase(0, scheme.size());
  if (text.ends_with('/')) text.pop_back();
  return text;
}

void use_other_host(const preset& known, const std::map<std::string, std::string>& params, base_url& url) {
  for (const auto& [placeholder, hosts] : known.hosts) {
    const auto given = params.find(placeholder);
    const auto host = given == params.end() ? hosts.end() : hosts.find(given->second);
    if (host != hosts.end()) url.host = host->second;
  }
}

}  // namespace

const std::map<std::string, preset>& presets() { return all().presets; }

const std::vector<race_group>& race_groups() { return all().groups; }

base_url_result fill_base_url(const preset& known, const std::map<std::string, std::string>& params) {
  std::string text = known.base_url;
  for (const auto& [placeholder, given] : params) {
    const bool is_host = known.base_url.find("://{" + placeholder + "}/") != std::string::npos;
    const std::string value = is_host ? host_in(given) : given;
    if (!is_plain_word(value))
      return {std::nullopt, placeholder + " may contain letters, digits, '-', '_' and '.' only"};
    replace_all(text, "{" + placeholder + "}", value);
  }
  base_url_result filled = parse_base_url(text);
  if (filled.url) use_other_host(known, params, *filled.url);
  return filled;
}

bool is_own_url(const preset& known, const base_url& url) {
  if (known.needs.empty()) return url == known.defaults.url;
  const std::size_t begin = known.base_url.find("://") + 3;
  const std::string host = known.base_url.substr(begin, known.base_url.find('/', begin) - begin);
  const std::size_t open = host.find('{'), close = host.rfind('}');
  // If a placeholder stands for the complete host name, the host name does not identify the preset. In that case, the
  // path must be the preset's path.
  if (open == 0 && close + 1 == host.size() && !known.base_url.ends_with(host + url.path)) return false;
  return open != std::string::npos && url.is_tls && url.host.starts_with(host.substr(0, open)) &&
         url.host.ends_with(host.substr(close + 1));
}

std::string list_of(const provider& at) {
  constexpr std::string_view place = "/locations/";
  const std::size_t found = at.url.path.find(place);
  if (found == std::string::npos || at.url.path.substr(found + place.size()).starts_with("global/")) return at.preset;
  const std::string regional = at.preset + "/regional";
  return at.listed.list().models().contains(regional) ? regional : at.preset;
}

base_url_result endpoint_url(const preset& known, const std::string& variable_value) {
  base_url_result read = parse_base_url(variable_value);
  if (!read.url) read.problem = known.endpoint_variable + ": " + read.problem;
  else if (!read.url->path.ends_with(known.endpoint_path)) read.url->path += known.endpoint_path;
  return read;
}

}  // namespace photofinish::proxy
