// Checks documents against a JSON Schema, for tests. Supports the keywords that photofinish's own schema uses. An unknown keyword in the
// schema is an error, so that no keyword is ignored.
#pragma once

#include "tests/support/streams/pattern.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

namespace photofinish::tests {

class json_schema {
 public:
  explicit json_schema(nlohmann::json schema) : root_(std::move(schema)) {}

  // Returns the reason and the place of the violation if the document violates the schema, otherwise an empty string.
  std::string complaint(const nlohmann::json& document) const { return check(root_, document, "$"); }

 private:
  using json = nlohmann::json;

  static bool has_type(const json& value, const std::string& type) {
    return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
           (type == "string" && value.is_string()) || (type == "integer" && value.is_number_integer()) ||
           (type == "number" && value.is_number()) ||
           (type == "boolean" && value.is_boolean()) || (type == "null" && value.is_null());
  }

  static bool fits_type(const json& value, const json& type) {
    if (type.is_string()) return has_type(value, type.get<std::string>());
    return std::any_of(type.begin(), type.end(), [&](const json& each) { return has_type(value, each); });
  }

  std::string check(const json& schema, const json& value, const std::string& at) const {
    for (const auto& [keyword, wanted] : schema.items()) {
      const std::string bad = check_keyword(schema, keyword, wanted, value, at);
      if (!bad.empty()) return bad;
    }
    return {};
  }

  std::string check_keyword(const json& schema, const std::string& keyword, const json& wanted,
                            const json& value, const std::string& at) const {
    const std::string failed = at + ": " + keyword;
    if (keyword == "$ref")
      return check(root_.at(json::json_pointer(wanted.get<std::string>().substr(1))), value, at);
    if (keyword == "type") return fits_type(value, wanted) ? "" : failed;
    if (keyword == "enum")
      return std::find(wanted.begin(), wanted.end(), value) != wanted.end() ? "" : failed;
    if (keyword == "const") return value == wanted ? "" : failed;
    if (keyword == "pattern") return !value.is_string() || has_match(wanted, value) ? "" : failed;
    if (keyword == "minLength")
      return !value.is_string() || value.get<std::string>().size() >= wanted ? "" : failed;
    if (keyword == "minItems") return !value.is_array() || value.size() >= wanted ? "" : failed;
    if (keyword == "maximum") return !value.is_number() || value <= wanted ? "" : failed;
    if (keyword == "minimum") return !value.is_number() || value >= wanted ? "" : failed;
    if (keyword == "anyOf") return check_any(wanted, value, at);
    if (keyword == "items") return check_items(wanted, value, at);
    if (keyword == "required") return check_required(wanted, value, at);
    if (keyword == "properties" || keyword == "additionalProperties") return check_members(schema, value, at);
    if (keyword == "propertyNames") return check_names(wanted, value, at);
    const bool is_annotation = keyword == "description" || keyword == "default" || keyword == "title" ||
                               keyword == "$schema" || keyword == "$defs";
    return is_annotation ? "" : at + ": the schema has an unknown keyword " + keyword;
  }

  std::string check_any(const json& choices, const json& value, const std::string& at) const {
    for (const json& choice : choices)
      if (check(choice, value, at).empty()) return {};
    return at + ": anyOf";
  }

  std::string check_items(const json& item, const json& value, const std::string& at) const {
    if (!value.is_array()) return {};
    for (const json& each : value)
      if (std::string bad = check(item, each, at + "[]"); !bad.empty()) return bad;
    return {};
  }

  std::string check_required(const json& names, const json& value, const std::string& at) const {
    for (const json& name : names)
      if (value.is_object() && !value.contains(name.get<std::string>()))
        return at + ": required " + name.dump();
    return {};
  }

  std::string check_names(const json& schema, const json& value, const std::string& at) const {
    if (!value.is_object()) return {};
    for (const auto& [name, member] : value.items())
      if (std::string bad = check(schema, json(name), at + "." + name); !bad.empty()) return bad;
    return {};
  }

  std::string check_members(const json& schema, const json& value, const std::string& at) const {
    if (!value.is_object()) return {};
    const json properties = schema.value("properties", json::object());
    for (const auto& [name, member] : value.items()) {
      const std::string place = at + "." + name;
      if (!properties.contains(name) && schema.value("additionalProperties", json(true)) == false)
        return place + ": unknown";
      const json& wanted =
          properties.contains(name) ? properties.at(name) : schema.at("additionalProperties");
      if (std::string bad = check(wanted, member, place); !bad.empty()) return bad;
    }
    return {};
  }

  json root_;
};

}  // namespace photofinish::tests
