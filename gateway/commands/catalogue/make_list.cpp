#include "gateway/commands/catalogue/make_list.hpp"

#include "gateway/config/yaml/yaml_tree.hpp"
#include "proxy/providers/catalogue.hpp"
#include "proxy/words/ascii.hpp"
#include "proxy/words/contains.hpp"
#include "proxy/words/parse_number.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace photofinish::gateway {
namespace {

using row_json = nlohmann::ordered_json;

struct bad_changes : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] void refuse_changes(const text_position& at, const std::string& problem) {
  throw bad_changes(std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + problem);
}

row_json json_of_scalar(const yaml_node& node) {
  if (!node.is_plain) return node.text;
  if (node.text == "true" || node.text == "false") return node.text == "true";
  if (const auto whole = proxy::parse_number<std::uint64_t>(node.text)) return *whole;
  if (const auto number = proxy::parse_number<double>(node.text)) return *number;
  return node.text;
}

row_json json_of_yaml(const yaml_node& node) {
  if (node.kind == yaml_kind::null) return nullptr;
  if (node.kind == yaml_kind::scalar) return json_of_scalar(node);
  row_json made = node.kind == yaml_kind::map ? row_json::object() : row_json::array();
  for (const yaml_node& each : node.items) made.push_back(json_of_yaml(each));
  for (const yaml_member& each : node.members) made[each.key] = json_of_yaml(each.value);
  return made;
}

// Parses a price such as "2/0.2/10". This is the format of the setting `prices`.
row_json price_of_text(const yaml_node& node) {
  const auto parsed = proxy::parse_prices(node.text);
  if (!parsed) refuse_changes(node.at, "'" + node.text + "' is not a price such as 2/10 or 2/0.2/10");
  const proxy::price& read = parsed->periods.front();
  row_json price{{"input", read.input.usd}};
  if (read.cached_input) price["cached_input"] = read.cached_input->usd;
  if (read.written_input) price["written_input"] = read.written_input->usd;
  if (read.written_for_hour) price["written_for_hour"] = read.written_for_hour->usd;
  price["output"] = read.output.usd;
  return price;
}

struct place_of_name {
  std::string provider, name;
};

place_of_name split_target(const std::string& text, const text_position& at) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == text.size())
    refuse_changes(at, "'" + text + "' is not provider/model");
  return {text.substr(0, slash), proxy::ascii_lower(text.substr(slash + 1))};
}

// Returns the provider's entries in the list. The provider must have a preset, because gateways use the list only for
// presets.
row_json& rows_of(row_json& list, const std::string& provider, const text_position& at) {
  row_json& providers = list["providers"];
  if (!providers.contains(provider)) refuse_changes(at, "the list has no provider '" + provider + "'");
  return providers[provider];
}

// Removes a model's name from its entry, and removes the entry if it has no other names. Returns the facts about the
// model.
row_json take_name(row_json& rows, const std::string& name) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].contains("names")) continue;
    row_json& names = rows[i]["names"];
    const auto place = std::find(names.begin(), names.end(), name);
    if (place == names.end()) continue;
    row_json facts = rows[i];
    facts.erase("prefixes");
    names.erase(place);
    if (names.empty() && !rows[i].contains("prefixes")) rows.erase(i);
    return facts;
  }
  return nullptr;
}

class list_editor {
 public:
  list_editor(row_json list, std::string today) : list_(std::move(list)), today_(std::move(today)) {}

  row_json edit(const yaml_node& changes) {
    if (changes.kind != yaml_kind::map)
      refuse_changes(changes.at, "the changes must be a map with `models` or `remove`");
    list_["as_of"] = today_;
    for (const yaml_member& each : changes.members) check_member(each);
    if (const yaml_node* source = source_) add_source(*source);
    else add_source({});
    for (const yaml_member& each : models_ ? models_->members : std::vector<yaml_member>{}) change(each);
    for (const yaml_node& each : removed_ ? removed_->items : std::vector<yaml_node>{}) remove(each);
    return std::move(list_);
  }

 private:
  void check_member(const yaml_member& each) {
    if (each.key == "as_of") list_["as_of"] = each.value.text;
    else if (each.key == "source" && each.value.kind == yaml_kind::map) source_ = &each.value;
    else if (each.key == "models" && each.value.kind == yaml_kind::map) models_ = &each.value;
    else if (each.key == "remove" && each.value.kind == yaml_kind::sequence) removed_ = &each.value;
    else refuse_changes(each.key_at, "'" + each.key +
                                         "' is not supported: the file of changes may have as_of, source (a map), "
                                         "models (a map) and remove (a list)");
  }

  void add_source(const yaml_node& from) {
    row_json source{{"name", "operator"}, {"version", list_["as_of"]}, {"licence", "own"}, {"date", list_["as_of"]}};
    for (const yaml_member& each : from.members) source[each.key] = each.value.text;
    place_ = list_["sources"].size();
    list_["sources"].push_back(std::move(source));
  }

  void change(const yaml_member& each) {
    const place_of_name at = split_target(each.key, each.key_at);
    if (each.value.kind != yaml_kind::map) refuse_changes(each.value.at, "must be a map, as in {prices: 2/0.2/10}");
    row_json& rows = rows_of(list_, at.provider, each.key_at);
    row_json row = take_name(rows, at.name);
    if (row.is_null()) row = row_json::object();
    row["names"] = row_json::array({at.name});
    row_json sources = row_json::array({place_});
    for (const row_json& known : row.value("sources", row_json::array())) sources.push_back(known);
    row["sources"] = std::move(sources);
    for (const yaml_member& fact : each.value.members) set_fact(row, fact);
    rows.push_back(std::move(row));
  }

  static void set_fact(row_json& row, const yaml_member& fact) {
    constexpr std::array<std::string_view, 3> fixed{"names", "prefixes", "sources"};
    if (proxy::contains(fixed, fact.key)) refuse_changes(fact.key_at, fact.key + " cannot be set");
    const bool is_short = fact.key == "prices" && fact.value.kind == yaml_kind::scalar;
    if (fact.value.kind == yaml_kind::null) row.erase(fact.key);
    // A price in the short form "2/0.2/10" replaces only the price of the standard tier. The prices of other tiers stay
    // unchanged.
    else if (is_short) row["prices"]["standard"] = price_of_text(fact.value);
    else row[fact.key] = json_of_yaml(fact.value);
  }

  void remove(const yaml_node& each) {
    const place_of_name at = split_target(each.text, each.at);
    if (take_name(rows_of(list_, at.provider, each.at), at.name).is_null())
      refuse_changes(each.at, "the list has no model '" + each.text + "'");
  }

  row_json list_;
  const std::string today_;
  const yaml_node* source_ = nullptr;
  const yaml_node* models_ = nullptr;
  const yaml_node* removed_ = nullptr;
  std::size_t place_ = 0;  // the index of the operator's own source in the list of sources
};

// Writes one line per entry, so that a version control system shows which entries have changed.
std::string text_of_list(const row_json& list) {
  std::string text = "{";
  for (const auto& [key, value] : list.items()) {
    text.append(text.size() > 1 ? ",\n" : "").append(row_json(key).dump()).append(": ");
    if (key != "providers") {
      text += value.dump();
      continue;
    }
    text += "{";
    std::string_view between = "\n";
    for (const auto& [provider, rows] : value.items()) {
      text.append(between).append(row_json(provider).dump()).append(": [");
      for (std::size_t i = 0; i < rows.size(); ++i) text.append(i == 0 ? "\n " : ",\n ").append(rows[i].dump());
      text += "]";
      between = ",\n";
    }
    text += "}";
  }
  return text + "}\n";
}

}  // namespace

made_list make_list(std::string_view from, std::string_view changes, const std::string& today) {
  if (const auto read = proxy::parse_catalogue(from); !read.value) return {{}, read.error};
  const yaml_result tree = parse_yaml(changes);
  if (!tree.problems.empty())
    return {{}, std::to_string(tree.problems.front().at.line) + ":" +
                    std::to_string(tree.problems.front().at.column) + ": " + tree.problems.front().message};
  made_list made;
  try {
    made.text = text_of_list(list_editor(row_json::parse(from), today).edit(tree.root));
  } catch (const bad_changes& problem) {
    return {{}, problem.what()};
  }
  if (const auto read = proxy::parse_catalogue(made.text); !read.value) return {{}, read.error};
  return made;
}

}  // namespace photofinish::gateway
