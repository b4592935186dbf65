#include "proxy/json/values/object_schema.hpp"

#include "proxy/json/json_text.hpp"
#include "proxy/json/member_index.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

constexpr int max_depth = 24;  // the maximum depth of nested schemas and references
// Limits for merging the schemas of one property: the maximum number of alternative schemas, and the maximum number of
// schemas that allOf joins in one alternative. If a property exceeds a limit, the merged schema allows any value for
// it.
constexpr std::size_t most_kinds = 64;
constexpr std::size_t most_readings = 8;
// The minimum number of bytes that may be read to merge one schema, even if the schema is very short. The number is
// small, because a request may have thousands of tools.
constexpr std::size_t least_bytes = 4u << 10;

// Members of a root schema that are merged into the new schema and therefore not copied.
constexpr std::array<std::string_view, 8> merged_keys{"type",  "properties", "required", "$ref",
                                                      "anyOf", "oneOf",      "allOf",    "enum"};

bool is_merged(std::string_view raw_key) {
  return std::any_of(merged_keys.begin(), merged_keys.end(),
                     [raw_key](std::string_view key) { return json_key_is(raw_key, key); });
}

// True if a type, or a list of types, contains `object`.
bool names_object(std::string_view type) {
  if (!json_is_array(type)) return type == R"("object")";
  for (const std::string_view each : json_elements(type))
    if (each == R"("object")") return true;
  return false;
}

struct property {
  std::string_view raw_key;
  std::vector<std::string> kinds;  // the alternative schemas for the property, which must match one of them
  std::size_t demands = 1;         // the number of schemas that are joined in one alternative
};

void add_kind(property& to, const std::string& kind) {
  if (std::find(to.kinds.begin(), to.kinds.end(), kind) != to.kinds.end()) return;
  if (to.kinds.size() == most_kinds) to.kinds.assign(1, "{}");
  if (to.kinds != std::vector<std::string>{"{}"}) to.kinds.push_back(kind);
}

std::string schema_of(const property& each) {
  if (each.kinds.size() == 1) return each.kinds.front();
  std::string json = R"({"anyOf":[)";
  for (const std::string& kind : each.kinds) json.append(json.ends_with('[') ? "" : ",").append(kind);
  return json.append("]}");
}

// The properties of an object, as described by a schema.
struct object_shape {
  bool is_object = true;  // false if the schema does not allow any object
  std::vector<property> properties;
  std::map<std::string_view, std::size_t> places;  // maps the name of each property to its index in `properties`
  std::vector<std::string_view> required;          // names of required properties, as JSON strings without repetitions
  std::set<std::string_view> required_names;       // the names in `required` as a set, for look-ups

  property* find(std::string_view raw_key) {
    const auto found = places.find(raw_key);
    return found == places.end() ? nullptr : &properties[found->second];
  }
  property& at(std::string_view raw_key) {
    if (property* const known = find(raw_key)) return *known;
    places.emplace(raw_key, properties.size());
    return properties.emplace_back(property{raw_key, {}, 1});
  }
  void require(std::string_view name) {
    if (required_names.insert(name).second) required.push_back(name);
  }
};

class schema_merger {
 public:
  schema_merger(json_pointers& parts, std::size_t& bytes_left) : parts_(parts), bytes_left_(bytes_left) {}

  object_shape read(std::string_view schema, int depth = 0) {
    object_shape all;
    if (!json_is_object(schema) || depth == max_depth || schema.size() > bytes_left_) {
      has_lost_ |= schema != "true";
      return all;
    }
    bytes_left_ -= schema.size();
    for (const json_member& member : json_members(schema)) read_member(member, depth, all);
    return all;
  }

  bool has_lost() const { return has_lost_; }

 private:
  void read_member(const json_member& member, int depth, object_shape& into) {
    const auto is = [&member](std::string_view key) { return json_key_is(member.raw_key, key); };
    const std::string_view value = member.value;
    if (is("type")) into.is_object &= names_object(value);
    else if (is("properties")) read_properties(value, into);
    else if (is("required")) read_required(value, into);
    else if (is("$ref")) {
      if (const auto target = parts_.find(json_unescape(json_raw_string(value)))) join(into, read(*target, depth + 1));
      else has_lost_ = true;
    } else if (is("allOf")) {
      for (const std::string_view each : json_elements(value)) join(into, read(each, depth + 1));
    } else if (is("anyOf") || is("oneOf")) read_alternatives(value, depth, into);
    else if (is("enum")) read_values(value, into);
  }

  static void read_properties(std::string_view map, object_shape& into) {
    for (const json_member& each : json_members(map)) add_kind(into.at(each.raw_key), std::string(each.value));
  }

  void read_required(std::string_view list, object_shape& into) {
    for (const std::string_view each : json_elements(list))
      if (json_is_string(each)) into.require(each);
  }

  void read_alternatives(std::string_view list, int depth, object_shape& into) {
    std::vector<object_shape> all;
    for (const std::string_view each : json_elements(list))
      if (object_shape shape = read(each, depth + 1); shape.is_object) all.push_back(std::move(shape));
    has_lost_ |= all.size() > 1;
    if (!all.empty()) join(into, any_of(all));
  }

  // Reads the properties of the objects that an `enum` lists.
  void read_values(std::string_view list, object_shape& into) {
    std::vector<object_shape> all;
    for (const std::string_view each : json_elements(list)) {
      if (!json_is_object(each)) continue;
      object_shape& shape = all.emplace_back();
      for (const json_member& member : json_members(each)) {
        add_kind(shape.at(member.raw_key), R"({"enum":[)" + std::string(member.value) + "]}");
        shape.require({member.raw_key.data() - 1, member.raw_key.size() + 2});
      }
    }
    has_lost_ |= all.size() > 1;
    if (!all.empty()) join(into, any_of(all));
  }

  // Merges alternative descriptions of an object into one description. A property is required only if every alternative
  // requires it.
  static object_shape any_of(const std::vector<object_shape>& all) {
    object_shape any;
    std::map<std::string_view, std::size_t> requirers;
    for (const object_shape& shape : all) {
      for (const property& each : shape.properties)
        for (const std::string& kind : each.kinds) add_kind(any.at(each.raw_key), kind);
      for (const std::string_view name : shape.required) ++requirers[name];
    }
    for (const std::string_view name : all.front().required)
      if (requirers[name] == all.size()) any.require(name);
    return any;
  }

  // Joins two descriptions that an object must match at the same time.
  void join(object_shape& into, const object_shape& other) {
    into.is_object &= other.is_object;
    for (const property& each : other.properties) {
      property* const known = into.find(each.raw_key);
      if (known == nullptr) into.at(each.raw_key) = each;
      else if (known->kinds.front() == "{}") *known = each;
      else if (known->kinds != each.kinds && each.kinds.front() != "{}") demand_both(*known, each);
    }
    for (const std::string_view name : other.required) into.require(name);
  }

  void demand_both(property& known, const property& other) {
    known.demands += other.demands;
    const bool is_too_deep = known.demands > most_kinds;
    has_lost_ |= is_too_deep;
    if (is_too_deep) known.demands = 1;
    known.kinds.assign(1, is_too_deep ? "{}" : R"({"allOf":[)" + schema_of(known) + "," + schema_of(other) + "]}");
  }

  json_pointers& parts_;
  std::size_t& bytes_left_;
  bool has_lost_ = false;
};

// Returns `schema` as an object schema with the properties and required names of `shape`. Other members of `schema` are
// not changed.
std::string written(const object_shape& shape, std::string_view schema) {
  std::string json = R"({"type":"object","properties":{)";
  for (const property& each : shape.properties)
    json.append(json.ends_with('{') ? "\"" : ",\"").append(each.raw_key).append("\":").append(schema_of(each));
  json += "}";
  if (!shape.required.empty()) {
    json += R"(,"required":[)";
    for (const std::string_view name : shape.required) json.append(json.ends_with('[') ? "" : ",").append(name);
    json += "]";
  }
  for (const json_member& each : json_members(schema))
    if (!is_merged(each.raw_key)) json.append(",").append(each.whole);
  return json.append("}");
}

bool has_alternatives(std::string_view schema) {
  for (const json_member& each : json_members(schema))
    for (const std::string_view key : {"$ref", "anyOf", "oneOf", "allOf", "enum"})
      if (json_key_is(each.raw_key, key)) return true;
  return false;
}

}  // namespace

std::string argument_schema(std::string_view schema) {
  if (!json_is_object(schema)) return std::string(any_object_schema);
  const auto type = json_find(schema, "type");
  if (has_alternatives(schema) || (type && json_is_array(*type) && names_object(*type))) {
    json_pointers parts(schema);
    std::size_t bytes_left = readable_bytes(schema);
    return written(schema_merger(parts, bytes_left).read(schema), schema);
  }
  if (type) return std::string(*type == R"("object")" ? schema : any_object_schema);
  const bool is_empty = !json_walk(schema).next_member();
  return R"({"type":"object")" + std::string(is_empty ? "" : ",") + std::string(schema.substr(1));
}

bool loses_arguments(std::string_view schema) {
  if (!json_is_object(schema)) return false;
  const auto type = json_find(schema, "type");
  if (type && !names_object(*type)) return true;
  if (!has_alternatives(schema)) return false;
  json_pointers parts(schema);
  std::size_t bytes_left = readable_bytes(schema);
  schema_merger merger(parts, bytes_left);
  const object_shape shape = merger.read(schema);
  return !shape.is_object || (shape.properties.empty() && merger.has_lost());
}

std::size_t readable_bytes(std::string_view root) { return most_readings * root.size() + least_bytes; }

merged_schema merge_schema(std::string_view schema, json_pointers& parts, std::size_t& bytes_left) {
  if (schema.size() > bytes_left) return {};
  schema_merger merger(parts, bytes_left);
  const object_shape shape = merger.read(schema);
  if (!shape.is_object || shape.properties.empty()) return {};
  return {written(shape, schema), merger.has_lost()};
}

}  // namespace photofinish::proxy
