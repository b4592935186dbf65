#include "proxy/json/values/inline_refs.hpp"

#include "proxy/json/values/json_pointers.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/words/contains.hpp"

#include <set>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

constexpr std::size_t deepest_schema = 64;

bool is_definitions(std::string_view raw_key) { return raw_key == "$defs" || raw_key == "definitions"; }

class schema_inliner {
 public:
  schema_inliner(std::string_view schema, std::size_t& bytes_left) : parts_(schema), bytes_left_(bytes_left) {}

  std::optional<std::string> write() && {
    write_value(parts_.root(), 0, true);
    return is_failed_ ? std::nullopt : std::optional(std::move(out_));
  }

 private:
  void write_value(std::string_view value, std::size_t depth, bool is_root) {
    if (depth > deepest_schema) is_failed_ = true;
    if (is_failed_) return;
    if (json_is_array(value)) return write_array(value, depth);
    if (!json_is_object(value)) return void(out_ += value);
    if (!may_read(value)) return;
    const auto ref = json_find(value, "$ref");
    if (ref && json_is_string(*ref))
      return write_named(value, json_unescape(json_raw_string(*ref)), depth, is_root);
    out_ += '{';
    write_members(value, depth, is_root);
    out_ += '}';
  }

  void write_members(std::string_view object, std::size_t depth, bool is_root) {
    for (const json_member& each : json_members(object)) {
      const bool is_ref = each.raw_key == "$ref" && json_is_string(each.value);
      if (is_ref || (is_root && is_definitions(each.raw_key))) continue;
      if (!out_.ends_with('{')) out_ += ',';
      out_.append("\"").append(each.raw_key).append("\":");
      write_value(each.value, depth + 1, false);
    }
  }

  void write_array(std::string_view list, std::size_t depth) {
    out_ += '[';
    for (const char* separator = ""; const std::string_view each : json_elements(list)) {
      out_ += std::exchange(separator, ",");
      write_value(each, depth + 1, false);
    }
    out_ += ']';
  }

  // Writes the part of the schema to which a $ref points. Before this part, writes the other members next to the $ref,
  // such as a description or a default.
  void write_named(std::string_view value, const std::string& ref, std::size_t depth, bool is_root) {
    const auto named = parts_.find(ref);
    const bool is_open = contains(open_, ref);
    if (!named || is_open || !json_is_object(*named)) {
      is_failed_ = true;
      return;
    }
    if (!may_read(*named)) return;
    open_.push_back(ref);
    const auto inner = json_find(*named, "$ref");
    const bool is_ref = inner && json_is_string(*inner);
    out_ += '{';
    write_members(value, depth, is_root);
    if (is_ref) write_inner(*named, depth);
    else write_members_beside(*named, value, depth);
    out_ += '}';
    open_.pop_back();
  }

  // Writes the members of a part of the schema, without the braces around them. Used if a $ref points to this part and
  // the part itself contains a $ref.
  void write_inner(std::string_view named, std::size_t depth) {
    const std::size_t from = out_.size();
    write_value(named, depth + 1, false);
    if (is_failed_) return;
    const std::string inside = out_.substr(from + 1, out_.size() - from - 2);
    out_.resize(from);
    if (!inside.empty() && !out_.ends_with('{')) out_ += ',';
    out_ += inside;
  }

  void write_members_beside(std::string_view named, std::string_view value, std::size_t depth) {
    std::set<std::string> own;
    for (const json_member& each : json_members(value)) own.insert(json_unescape(each.raw_key));
    for (const json_member& each : json_members(named)) {
      if (own.contains(json_unescape(each.raw_key))) continue;
      if (!out_.ends_with('{')) out_ += ',';
      out_.append("\"").append(each.raw_key).append("\":");
      write_value(each.value, depth + 1, false);
    }
  }

  // Limits the total size of the schema parts that are inserted for references. Without the limit, the result could
  // grow exponentially, because each part may refer to another part twice.
  bool may_read(std::string_view object) {
    if (object.size() > bytes_left_) is_failed_ = true;
    else bytes_left_ -= object.size();
    return !is_failed_;
  }

  json_pointers parts_;
  std::size_t& bytes_left_;
  std::string out_;
  // The references that are currently being replaced. They are needed to detect a part of the schema that contains
  // itself.
  std::vector<std::string> open_;
  bool is_failed_ = false;
};

}  // namespace

std::size_t inlinable_bytes(std::string_view tools) {
  constexpr std::size_t most_readings = 16, least_bytes = 1u << 20;
  return most_readings * tools.size() + least_bytes;
}

std::optional<std::string> inline_refs(std::string_view schema, std::size_t& bytes_left) {
  if (!json_is_object(schema) || schema.find("\"$ref\"") == std::string_view::npos) return std::nullopt;
  return schema_inliner(schema, bytes_left).write();
}

}  // namespace photofinish::proxy
