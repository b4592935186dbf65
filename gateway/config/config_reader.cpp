#include "gateway/config/config_reader.hpp"

#include "gateway/config/yaml/near_name.hpp"
#include "gateway/config/yaml/units.hpp"
#include "proxy/words/parse_number.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace photofinish::gateway {
namespace {

// The longest allowed durations in settings: 30 days for waits, and ten years for stored data, which auditors may need.
// Several waits may be added, and their sum must not overflow any clock.
constexpr std::chrono::hours longest_duration{720}, longest_retention{87600};
constexpr std::string_view duration_form = "a duration like 500us, 300ms, 2s, 10m or 1h";
constexpr std::string_view size_form = "a size like 64KiB, 32MiB or 1GiB";

bool is_true(std::string_view text) { return text == "true" || text == "True" || text == "TRUE"; }
bool is_false(std::string_view text) { return text == "false" || text == "False" || text == "FALSE"; }

// Names of LiteLLM's settings, and the settings of this gateway that correspond to them.
constexpr std::pair<std::string_view, std::string_view> foreign_words[] = {
    {"api_base", "use `base_url` of a provider"},
    {"api_version", "write the version into `chat_path` of the provider"},
    {"background_health_checks", "the gateway skips failing targets automatically"},
    {"default_fallbacks", "use a route with race: {policy: fallback}"},
    {"fallbacks", "use a route with race: {policy: fallback}"},
    {"general_settings", "write the settings of this section at the top of the file"},
    {"litellm_params", "use a provider with base_url and api_key, and a route that lists targets as provider/model"},
    {"litellm_settings", "write the settings of this section at the top of the file, in `limits` and in `race`"},
    {"master_key", "use access_keys, as in [{name: team, key: ...}]"},
    {"model_group_alias", "make a route for every name that a client may use"},
    {"model_list", "use providers (URLs and keys) and routes (the names that clients use as model)"},
    {"model_name", "use the name of a route"},
    {"num_retries", "use race.max_attempts: a failed attempt starts the route's next target"},
    {"organization", "use headers: {OpenAI-Organization: ...}"},
    {"request_timeout", "use race.total_timeout, and race.race_timeout for the time to the first token"},
    {"router_settings", "use race, at the top of the file or in a route"},
    {"routing_strategy", "use race.policy: all, hedge, adaptive or fallback"},
    {"stream_timeout", "use race.first_token_timeout and race.stall_timeout"},
    {"timeout", "use race.total_timeout, and race.race_timeout for the time to the first token"},
};

std::optional<std::string> foreign_word(std::string_view key) {
  for (const auto& [theirs, ours] : foreign_words)
    if (theirs == key) return std::string(ours);
  return std::nullopt;
}

std::string unknown_key(const std::string& key, section where) {
  if (const auto ours = foreign_word(key))
    return "unknown key '" + key + "' in " + std::string(to_string(where)) + "; this is a LiteLLM setting: " + *ours +
           " (docs/configuration.md)";
  std::string message = "unknown key '" + key + "' in " + std::string(to_string(where));
  for (const setting& each : settings())
    if (each.name == key) return message + "; this key belongs in " + std::string(to_string(each.where));
  return message + did_you_mean(key, setting_names(where));
}

// The maximum number of names that are compared with a misspelled name, to suggest the right name. A long file may
// contain many misspelled names and many candidates.
constexpr std::size_t most_candidates = 2'000;

// Messages hide a variable's value only if it has at least this length. Shorter values are not secrets, and words like
// "on" occur in messages by chance.
constexpr std::size_t shortest_hidden = 8;

char lower(char each) { return each >= 'A' && each <= 'Z' ? static_cast<char>(each - 'A' + 'a') : each; }

// Replaces the values of variables in a message by their names. Ignores case, because messages show header
// names in lower case.
std::string without_values(std::string message, const std::vector<used_variable>& variables) {
  const auto is_same = [](char one, char other) { return lower(one) == lower(other); };
  for (const auto& [name, value] : variables) {
    if (value.size() < shortest_hidden) continue;
    const std::string written = "${" + name + "}";
    auto at = message.begin();
    while ((at = std::search(at, message.end(), value.begin(), value.end(), is_same)) != message.end()) {
      const auto offset = at - message.begin() + static_cast<std::ptrdiff_t>(written.size());
      message.replace(at, at + static_cast<std::ptrdiff_t>(value.size()), written);
      at = message.begin() + offset;
    }
  }
  return message;
}

}  // namespace

void reading::error(text_position at, std::string message) {
  ++errors;
  problems.push_back({file, at.line, at.column, without_values(std::move(message), variables), severity::error});
}

void reading::warn(text_position at, std::string message) {
  problems.push_back({file, at.line, at.column, without_values(std::move(message), variables), severity::warning});
}

void reading::warn_of_open_file(text_position at, std::string_view name, const std::string& path) {
  warn(at, std::string(name) + ": every user of this machine can read the secret in " + path +
               "; run chmod 600 " + path);
}

// Variables with longer values come first, because a shorter value may be a part of a longer value.
void reading::note_variable(used_variable variable) {
  const auto is_it = [&](const used_variable& each) { return each.name == variable.name; };
  if (std::any_of(variables.begin(), variables.end(), is_it)) return;
  const auto is_shorter = [&](const used_variable& each) { return each.value.size() < variable.value.size(); };
  variables.insert(std::find_if(variables.begin(), variables.end(), is_shorter), std::move(variable));
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  if (candidates.size() > most_candidates) return {};
  const auto near = nearest(word, candidates);
  return near ? "; did you mean '" + *near + "'?" : "";
}

std::string describe(const yaml_node& node) {
  if (node.kind == yaml_kind::null) return "nothing";
  if (node.kind == yaml_kind::sequence) return "a list";
  if (node.kind == yaml_kind::map) return "a map";
  if (node.is_plain && (is_true(node.text) || is_false(node.text))) return "true or false";
  return node.is_plain && proxy::parse_number<double>(node.text) ? "a number" : "text";
}

section_reader::section_reader(reading& shared, const yaml_node& map, section where)
    : shared_(shared), map_(map), where_(where) {
  if (map.kind != yaml_kind::map && map.kind != yaml_kind::null)
    shared_.error(map.at, std::string(to_string(where)) + " must be a map, not " + describe(map));
  for (const yaml_member& member : map.members) {
    if (find_setting(where, member.key)) continue;
    has_unknown_ = true;
    shared_.error(member.key_at, unknown_key(member.key, where));
  }
}

const yaml_node* section_reader::find(std::string_view name) const {
  assert(find_setting(where_, name));
  for (const yaml_member& member : map_.members)
    if (member.key == name) return &member.value;
  return nullptr;
}

const yaml_node* section_reader::find_sections(std::string_view name, yaml_kind kind, std::string_view form) const {
  const yaml_node* node = find(name);
  if (!node || node->kind == yaml_kind::null) return nullptr;
  if (node->kind != kind) error(name, "must be " + std::string(form) + ", not " + describe(*node));
  return node->kind == kind ? node : nullptr;
}

text_position section_reader::at(std::string_view name) const {
  const yaml_node* node = find(name);
  return node ? node->at : map_.at;
}

void section_reader::error(std::string_view name, const std::string& message) const {
  shared_.error(at(name), std::string(name) + ": " + message);
}

void section_reader::warn(std::string_view name, const std::string& message) const {
  shared_.warn(at(name), std::string(name) + ": " + message);
}

bool section_reader::wrong_type(const yaml_node& node, std::string_view name, std::string_view wanted) const {
  shared_.error(node.at, std::string(name) + ": must be " + std::string(wanted) + ", not " + describe(node));
  return false;
}

// Returns the text of a scalar after its variables are replaced by their values. If the node is not a scalar, the
// caller reports the problem.
std::optional<std::string> section_reader::scalar(std::string_view name, const yaml_node& node) const {
  expanded_text expanded = expand(node.text, shared_.machine);
  for (used_variable& each : expanded.variables) shared_.note_variable(std::move(each));
  if (expanded.problem.empty()) return std::move(expanded.text);
  if (!expanded.unset.empty() && shared_.may_miss(std::move(expanded.unset))) return std::nullopt;
  shared_.error(node.at, std::string(name) + ": " + expanded.problem);
  return std::nullopt;
}

std::optional<std::string> section_reader::words(std::string_view name, const yaml_node& node) const {
  if (node.kind == yaml_kind::scalar && describe(node) == "text") return scalar(name, node);
  const bool is_scalar = node.kind == yaml_kind::scalar;
  wrong_type(node, name, is_scalar ? "text (put it in quotes)" : "text");
  return std::nullopt;
}

bool section_reader::has_read(std::string_view name) const {
  return std::find(read_names_.begin(), read_names_.end(), name) != read_names_.end();
}

bool section_reader::read(std::string_view name, std::string& into) const {
  const yaml_node* node = find(name);
  if (!node) return false;
  if (find_setting(where_, name)->type == setting_type::choice) {
    const auto word = choice(name, *node);
    if (word) into = *word;
    return word.has_value();
  }
  std::optional<std::string> text = words(name, *node);
  if (!text) return false;
  if (text->empty()) return error(name, "must not be empty"), false;
  into = std::move(*text);
  return true;
}

bool section_reader::read(std::string_view name, bool& into) const {
  const yaml_node* node = find(name);
  if (!node) return false;
  if (const setting& row = *find_setting(where_, name); row.type == setting_type::choice) {
    const auto word = choice(name, *node);
    if (word) into = *word == row.words[1];
    return word.has_value();
  }
  if (node->kind != yaml_kind::scalar || !(node->is_plain || has_variable(node->text)))
    return wrong_type(*node, name, "true or false");
  const auto text = scalar(name, *node);
  if (!text) return false;
  if (!is_true(*text) && !is_false(*text)) return wrong_type(*node, name, "true or false");
  into = is_true(*text);
  return true;
}

bool section_reader::read(std::string_view name, std::size_t& into) const {
  const yaml_node* node = find(name);
  const auto value = node ? number(name, *node) : std::nullopt;
  if (value) into = *value;
  return value.has_value();
}

bool section_reader::read(std::string_view name, std::vector<std::size_t>& into) const {
  const yaml_node* node = find(name);
  if (!node) return false;
  if (node->kind != yaml_kind::sequence) return wrong_type(*node, name, "a list of whole numbers, as in [100, 1000]");
  std::vector<std::size_t> values;
  for (const yaml_node& item : node->items)
    if (const auto value = number(name, item)) values.push_back(*value);
  if (values.size() < node->items.size()) return false;
  into = std::move(values);
  return true;
}

// Reads a whole number. If the value is not a valid number, reports the problem and returns nothing.
std::optional<std::size_t> section_reader::number(std::string_view name, const yaml_node& node) const {
  const setting& row = *find_setting(where_, name);
  const bool is_size = row.type == setting_type::size;
  const std::string wanted(is_size ? size_form : "a whole number");
  if (node.kind != yaml_kind::scalar || !(is_size || node.is_plain || has_variable(node.text)))
    return wrong_type(node, name, wanted), std::nullopt;
  const auto text = scalar(name, node);
  if (!text) return std::nullopt;
  const std::optional<std::size_t> value = is_size ? parse_size(*text) : proxy::parse_number<std::size_t>(*text);
  const auto refuse = [&](const std::string& why) { shared_.error(node.at, std::string(name) + ": must be " + why); };
  if (!value) return refuse(wanted), std::nullopt;
  if (*value < row.least) return refuse("at least " + std::to_string(row.least)), std::nullopt;
  if (row.most > 0 && *value > row.most)
    return refuse("at most " + (is_size ? format_size(row.most) : std::to_string(row.most))), std::nullopt;
  return value;
}

// Reads a decimal number. Returns nothing if the setting is absent. If the number is wrong, reports the problem and
// returns nothing. `form` describes the expected form.
std::optional<double> section_reader::decimal(std::string_view name, std::string_view form) const {
  const yaml_node* node = find(name);
  if (!node) return std::nullopt;
  if (node->kind != yaml_kind::scalar || !(node->is_plain || has_variable(node->text)))
    return wrong_type(*node, name, form), std::nullopt;
  const auto text = scalar(name, *node);
  if (!text) return std::nullopt;
  if (const auto value = proxy::parse_number<double>(*text)) return value;
  return error(name, "must be " + std::string(form)), std::nullopt;
}

bool section_reader::read(std::string_view name, std::int64_t& nano_usd) const {
  constexpr std::string_view form = "an amount of US dollars, as in 50 or 0.5";
  // The upper limit is a billion dollars. A 64-bit number of nano-dollars can hold nine times as much.
  constexpr double least = 1e-9, most = 1e9;
  const auto usd = decimal(name, form);
  if (!usd) return false;
  if (!(*usd >= least && *usd <= most)) return error(name, "must be " + std::string(form)), false;
  nano_usd = std::llround(*usd * 1e9);
  return true;
}

bool section_reader::read(std::string_view name, double& into) const {
  constexpr std::string_view form = "a number from 0 to 1";
  const auto value = decimal(name, form);
  if (!value) return false;
  if (!(*value >= 0 && *value <= 1)) return error(name, "must be " + std::string(form)), false;
  into = *value;
  return true;
}

bool section_reader::read(std::string_view name, std::chrono::milliseconds& into) const {
  const yaml_node* node = find(name);
  if (!node) return false;
  if (node->kind != yaml_kind::scalar) return wrong_type(*node, name, duration_form);
  const auto text = scalar(name, *node);
  return text && read_duration(name, *text, duration_form, into);
}

bool section_reader::read_or_auto(std::string_view name, std::chrono::milliseconds& into, bool& is_auto) const {
  const std::string form = std::string(duration_form) + ", or auto";
  const yaml_node* node = find(name);
  if (!node) return false;
  if (node->kind != yaml_kind::scalar) return wrong_type(*node, name, form);
  const auto text = scalar(name, *node);
  if (!text) return false;
  is_auto = *text == "auto";
  return is_auto || read_duration(name, *text, form, into);
}

bool section_reader::read_duration(std::string_view name, const std::string& text, std::string_view form,
                                   std::chrono::milliseconds& into) const {
  const auto value = parse_duration(text);
  if (!value) return error(name, "must be " + std::string(form)), false;
  if (value->count() == 0 && !find_setting(where_, name)->may_be_zero) return error(name, "must be more than 0"), false;
  const std::chrono::hours longest = where_ == section::content_log ? longest_retention : longest_duration;
  if (*value > longest) return error(name, "must be at most " + std::to_string(longest.count()) + "h"), false;
  into = std::chrono::ceil<std::chrono::milliseconds>(*value);
  if (into != *value)
    warn(name, text + " is rounded up to " + format_duration(into) + ", because times are whole milliseconds");
  return true;
}

std::optional<std::string_view> section_reader::choice(std::string_view name) const {
  const yaml_node* node = find(name);
  return node ? choice(name, *node) : std::nullopt;
}

std::optional<std::string_view> section_reader::choice(std::string_view name, const yaml_node& node) const {
  const auto words = find_setting(where_, name)->words;
  if (node.kind != yaml_kind::scalar) return wrong_type(node, name, proxy::one_of(words)), std::nullopt;
  const auto text = scalar(name, node);
  if (!text) return std::nullopt;
  const auto word = std::find(words.begin(), words.end(), *text);
  if (word != words.end()) return *word;
  const std::vector<std::string> candidates(words.begin(), words.end());
  shared_.error(node.at, std::string(name) + ": must be " + proxy::one_of(words) + did_you_mean(*text, candidates));
  return std::nullopt;
}

// --- reading settings that have several values or a secret

bool section_reader::read_choices(std::string_view name, const yaml_node& node, std::vector<std::string>& into) const {
  if (node.kind != yaml_kind::sequence) return wrong_type(node, name, "a list of words, as in [a, b]");
  if (node.items.empty()) return error(name, "must not be empty"), false;
  std::vector<std::string> words;
  for (const yaml_node& item : node.items)
    if (const auto word = choice(name, item)) words.emplace_back(*word);
  if (words.size() < node.items.size()) return false;
  into = std::move(words);
  return true;
}

bool section_reader::read(std::string_view name, std::vector<std::string>& into) const {
  const yaml_node* node = find(name);
  if (!node) return false;
  const setting_type type = find_setting(where_, name)->type;
  if (type == setting_type::choices) return read_choices(name, *node, into);
  if (type == setting_type::text_or_texts && node->kind != yaml_kind::sequence) {
    std::string text;
    const bool is_right = read(name, text);
    if (is_right) into = {std::move(text)};
    return is_right;
  }
  if (node->kind != yaml_kind::sequence) return wrong_type(*node, name, "a list of text, as in [a, b]");
  const bool may_be_file = type == setting_type::secrets;
  std::vector<std::string> texts;
  bool is_right = true;
  for (const yaml_node& item : node->items) {
    std::optional<std::string> text = words(name, item);
    if (text && may_be_file) text = secret_text(name, item, std::move(*text));
    if (text && text->empty()) shared_.error(item.at, std::string(name) + ": contains an empty text");
    if (!text || text->empty()) {
      is_right = false;
      texts.emplace_back();  // adds an empty entry, so that the following texts keep their positions
    } else {
      texts.push_back(std::move(*text));
    }
  }
  if (is_right) into = std::move(texts);
  return is_right;
}

bool section_reader::read(std::string_view name, std::map<std::string, std::string>& into) const {
  const yaml_node* node = find(name);
  if (!node) return false;
  if (node->kind != yaml_kind::map) return wrong_type(*node, name, "a map of text, as in {name: text}");
  const bool may_be_file = find_setting(where_, name)->type == setting_type::secret_map;
  std::map<std::string, std::string> texts;
  bool is_right = true;
  for (const yaml_member& member : node->members) {
    std::optional<std::string> text = words(name, member.value);
    if (text && may_be_file) text = secret_text(name, member.value, std::move(*text));
    is_right = is_right && text.has_value();
    if (text) texts.emplace(member.key, std::move(*text));
  }
  if (is_right) into = std::move(texts);
  return is_right;
}

bool section_reader::read(std::string_view name, proxy::secret& into, empty_text may_be) const {
  const yaml_node* node = find(name);
  if (!node) return false;
  std::optional<std::string> text = words(name, *node);
  if (text) text = secret_text(name, *node, std::move(*text), may_be);
  if (!text) return false;
  if (text->empty() && may_be == empty_text::refused) return error(name, "must not be empty"), false;
  into = proxy::secret(std::move(*text));
  return true;
}

// A secret is read from a file only if the text as written in the configuration refers to a file. A reference in a
// variable's value has no effect.
std::optional<std::string> section_reader::secret_text(std::string_view name, const yaml_node& node,
                                                       std::string expanded, empty_text may_be) const {
  if (!file_reference(node.text)) return expanded;
  const std::string path(*file_reference(expanded));
  expanded_text content = read_secret_file(path, shared_.machine);
  const bool is_absolute = path.starts_with('/');
  if (!content.problem.empty() && is_absolute && shared_.may_miss("file:" + path)) return std::nullopt;
  if (content.problem.empty() && content.text.empty() && may_be == empty_text::refused)
    content.problem = "the file " + path + " is empty";
  if (!content.problem.empty()) {
    shared_.error(node.at, std::string(name) + ": " + content.problem);
    return std::nullopt;
  }
  auto& watched = shared_.watched_files;
  if (std::find(watched.begin(), watched.end(), path) == watched.end()) {
    watched.push_back(path);
    if (content.is_open_to_all) shared_.warn_of_open_file(node.at, name, path);
  }
  return std::move(content.text);
}

}  // namespace photofinish::gateway
