#include "proxy/conversation/output_schema.hpp"

#include "proxy/json/json_text.hpp"
#include "proxy/json/member_index.hpp"
#include "proxy/json/values/object_schema.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace photofinish::proxy {
namespace {

// The maximum depth of a schema. Anthropic refuses deeper schemas.
constexpr int max_depth = 64;

constexpr std::array<std::string_view, 17> limits{
    "minimum",       "maximum",       "exclusiveMinimum", "exclusiveMaximum", "multipleOf",  "minLength",
    "maxLength",     "pattern",       "minItems",         "maxItems",         "uniqueItems", "minProperties",
    "maxProperties", "not",           "contains",         "propertyNames",    "patternProperties"};

constexpr std::array<std::string_view, 9> formats{"date-time", "time",     "date", "duration", "email",
                                                  "hostname",  "uri",      "ipv4", "uuid"};

class schema_writer {
 public:
  explicit schema_writer(std::string_view schema) : parts_(schema) {}

  narrowed_schema write() && {
    const std::string_view schema = parts_.root();
    bytes_left_ = readable_bytes(schema);
    write_schema(schema, 0);
    return std::move(made_);
  }

 private:
  enum class inside { schemas_by_name, schemas_in_list, one_schema, plain };

  static inside kind_of(std::string_view key) {
    if (key == "properties" || key == "$defs" || key == "definitions") return inside::schemas_by_name;
    if (key == "anyOf" || key == "oneOf" || key == "allOf" || key == "prefixItems") return inside::schemas_in_list;
    return key == "items" ? inside::one_schema : inside::plain;
  }

  void write_schema(std::string_view schema, int depth) {
    if (!json_is_object(schema) || depth > max_depth) {
      made_.json += schema;
      return;
    }
    // A schema that combines several object schemas is merged first. Without the merge, each of the combined schemas
    // would forbid the members that the others list.
    if (has_parts(schema)) {
      if (const merged_schema merged = merge_schema(schema, parts_, bytes_left_); !merged.json.empty()) {
        made_.has_lost |= merged.has_lost;
        return write_schema(merged.json, depth + 1);
      }
    }
    made_.json += "{";
    bool is_first = true, is_of_objects = false;
    for (const json_member& member : json_members(schema)) {
      if (json_key_is(member.raw_key, "properties")) is_of_objects = true;
      if (json_key_is(member.raw_key, "type") && member.value.find("\"object\"") != std::string_view::npos)
        is_of_objects = true;
      if (json_key_is(member.raw_key, "additionalProperties")) {
        made_.has_lost |= member.value != "false";
        is_of_objects = true;
        continue;
      }
      if (is_left_out(member)) continue;
      begin(is_first);
      write_member(member, depth);
    }
    if (is_of_objects) {
      begin(is_first);
      made_.json += R"("additionalProperties":false)";
    }
    made_.json += "}";
  }

  // True if the schema combines several object schemas by allOf, or by alternatives next to its own properties.
  static bool has_parts(std::string_view schema) {
    bool has_all = false, has_any = false, has_properties = false;
    for (const json_member& each : json_members(schema)) {
      has_all |= json_key_is(each.raw_key, "allOf");
      has_any |= json_key_is(each.raw_key, "anyOf") || json_key_is(each.raw_key, "oneOf");
      has_properties |= json_key_is(each.raw_key, "properties");
    }
    return has_all || (has_any && has_properties);
  }

  // True if the list of permitted values contains objects or lists.
  static bool has_complex_values(std::string_view list) {
    for (const std::string_view each : json_elements(list))
      if (json_is_object(each) || json_is_array(each)) return true;
    return false;
  }

  void begin(bool& is_first) {
    if (!is_first) made_.json += ",";
    is_first = false;
  }

  bool is_left_out(const json_member& member) {
    const auto is = [&member](std::string_view key) { return json_key_is(member.raw_key, key); };
    bool is_limit = std::any_of(limits.begin(), limits.end(), is);
    if (is("format")) {
      const std::string_view word = json_raw_string(member.value);
      is_limit = std::find(formats.begin(), formats.end(), word) == formats.end();
    }
    if (is("enum")) is_limit = has_complex_values(member.value);
    if (is("minItems") && (member.value == "0" || member.value == "1")) is_limit = false;
    made_.has_lost |= is_limit;
    return is_limit;
  }

  void write_member(const json_member& member, int depth) {
    const bool is_choice = json_key_is(member.raw_key, "oneOf");
    made_.json.append("\"").append(is_choice ? std::string_view("anyOf") : member.raw_key).append("\":");
    switch (kind_of(member.raw_key)) {
      case inside::schemas_by_name: return write_by_name(member.value, depth);
      case inside::schemas_in_list: return write_list(member.value, depth);
      case inside::one_schema: return write_schema(member.value, depth + 1);
      case inside::plain: made_.json += member.value;
    }
  }

  void write_by_name(std::string_view map, int depth) {
    if (!json_is_object(map)) {
      made_.json += map;
      return;
    }
    made_.json += "{";
    bool is_first = true;
    for (const json_member& member : json_members(map)) {
      begin(is_first);
      made_.json.append("\"").append(member.raw_key).append("\":");
      write_schema(member.value, depth + 1);
    }
    made_.json += "}";
  }

  void write_list(std::string_view list, int depth) {
    if (!json_is_array(list)) {
      made_.json += list;
      return;
    }
    made_.json += "[";
    bool is_first = true;
    for (const std::string_view each : json_elements(list)) {
      begin(is_first);
      write_schema(each, depth + 1);
    }
    made_.json += "]";
  }

  json_pointers parts_;  // finds the parts of the schema to which references point
  std::size_t bytes_left_ = 0;
  narrowed_schema made_;
};

}  // namespace

narrowed_schema narrow_schema(std::string_view schema) { return schema_writer(schema).write(); }

}  // namespace photofinish::proxy
