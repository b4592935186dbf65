#include "gateway/config/schema.hpp"

#include "gateway/config/settings.hpp"

#include <yaml-cpp/yaml.h>
#include <nlohmann/json.hpp>

namespace photofinish::gateway {
namespace {

using json = nlohmann::ordered_json;

// Makes a schema that also allows a text with a variable. Such a text may become a value of any type.
json or_variable(json type) {
  return {{"anyOf", json::array({std::move(type), {{"type", "string"}, {"pattern", "\\$\\{"}}})}};
}

json reference(std::string_view definition) { return {{"$ref", "#/$defs/" + std::string(definition)}}; }

json text_schema() { return {{"type", "string"}, {"minLength", 1}}; }

json list_of_schema(json item) { return {{"type", "array"}, {"items", std::move(item)}}; }

json map_of_schema(json value) {
  return {{"type", json::array({"object", "null"})}, {"additionalProperties", std::move(value)}};
}

json choice_schema(const setting& row) {
  json words = json::array();
  for (const std::string_view word : row.words) words.push_back(word);
  return or_variable({{"enum", std::move(words)}});
}

json number_schema(const setting& row) { return or_variable({{"type", "integer"}, {"minimum", row.least}}); }

json type_schema(const setting& row) {
  switch (row.type) {
    case setting_type::text:
    case setting_type::secret: return text_schema();
    case setting_type::number: return number_schema(row);
    case setting_type::numbers: return {{"type", "array"}, {"items", number_schema(row)}, {"minItems", 1}};
    case setting_type::share: return or_variable({{"type", "number"}, {"minimum", 0}, {"maximum", 1}});
    case setting_type::boolean: return or_variable({{"type", "boolean"}});
    case setting_type::duration: return reference("duration");
    case setting_type::duration_or_auto: return {{"anyOf", json::array({{{"const", "auto"}}, reference("duration")})}};
    case setting_type::size: return reference("size");
    case setting_type::choice: return choice_schema(row);
    case setting_type::choices: return {{"type", "array"}, {"items", choice_schema(row)}, {"minItems", 1}};
    case setting_type::address: return reference("address");
    case setting_type::addresses:
      return {{"anyOf", json::array({reference("address"), list_of_schema(reference("address"))})}};
    case setting_type::secrets:
    case setting_type::texts: return list_of_schema(text_schema());
    case setting_type::text_or_texts: return {{"anyOf", json::array({text_schema(), list_of_schema(text_schema())})}};
    case setting_type::money: return or_variable({{"type", "number"}, {"minimum", 1e-9}});
    case setting_type::text_map:
    case setting_type::secret_map: return {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}};
    case setting_type::one: return reference(to_string(row.inner));
    case setting_type::list_of: return list_of_schema(reference(to_string(row.inner)));
    case setting_type::list_or_file:
      return {{"anyOf", json::array({list_of_schema(reference(to_string(row.inner))),
                                     {{"type", "string"}, {"pattern", "^file:."}}})}};
    case setting_type::map_of: return map_of_schema(reference(to_string(row.inner)));
  }
  return {};
}

// Converts a default value to JSON. The table of settings contains the defaults in YAML.
json default_value(const YAML::Node& node) {
  if (node.IsSequence()) {
    json list = json::array();
    for (const auto& item : node) list.push_back(default_value(item));
    return list;
  }
  if (node.IsMap()) return json::object();
  bool truth = false;
  if (YAML::convert<bool>::decode(node, truth)) return truth;
  std::int64_t number = 0;
  if (YAML::convert<std::int64_t>::decode(node, number)) return number;
  double share = 0;
  if (YAML::convert<double>::decode(node, share)) return share;
  return node.as<std::string>();
}

json setting_schema(const setting& row) {
  json schema = type_schema(row);
  schema["description"] = row.description;
  if (const std::string text = default_text(row); !text.empty()) schema["default"] = default_value(YAML::Load(text));
  return schema;
}

// Makes the schema of a section. A section without a value, such as `groq:`, is an empty section.
json section_schema(section where) {
  json properties = json::object(), required = json::array();
  for (const setting& row : settings(where)) {
    properties[std::string(row.name)] = setting_schema(row);
    if (row.is_required) required.push_back(row.name);
  }
  json schema{{"type", json::array({"object", "null"})},
              {"properties", std::move(properties)},
              {"additionalProperties", false}};
  if (!required.empty()) {
    schema["type"] = "object";
    schema["required"] = std::move(required);
  }
  return schema;
}

json definitions() {
  const json duration{{"type", "string"}, {"pattern", "^[0-9]+(us|ms|s|m|h)$"}};
  const json size{{"type", "string"}, {"pattern", "^[0-9]+(B|KiB|MiB|GiB|KB|MB|GB)?$"}};
  json all;
  all["duration"] = or_variable({{"anyOf", json::array({duration, {{"const", 0}}})}});
  all["size"] = or_variable({{"anyOf", json::array({size, {{"type", "integer"}, {"minimum", 0}}})}});
  all["address"] =
      or_variable({{"type", "string"}, {"pattern", "^(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9._-]+):[0-9]+$"}});
  for (const auto& [where, name] : proxy::word_table<section>)
    if (where != section::top) all[std::string(name)] = section_schema(where);
  return all;
}

}  // namespace

std::string config_schema() {
  json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
              {"title", "photofinish configuration"}};
  schema.update(section_schema(section::top));
  schema["properties"]["providers"]["propertyNames"] = {{"pattern", "^[a-z0-9][a-z0-9-]*$"}};
  schema["properties"]["routes"]["propertyNames"] = {{"pattern", "^[^_/, ][^/, ]*$"}};
  schema["$defs"] = definitions();
  return schema.dump(2) + "\n";
}

}  // namespace photofinish::gateway
