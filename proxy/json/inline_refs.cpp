#include "proxy/json/inline_refs.hpp"

#include "proxy/json/json_text.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace photofinish::proxy {
namespace {

constexpr std::size_t largest_schema = 1u << 20;  // bytes; parts that name others twice grow without end
constexpr std::size_t deepest_schema = 64;

bool is_definitions(std::string_view raw_key) { return raw_key == "$defs" || raw_key == "definitions"; }

class schema_inliner {
 public:
  explicit schema_inliner(std::string_view schema) : root_(schema) {}

  std::optional<std::string> write() && {
    write_value(root_, 0, true);
    return is_failed_ ? std::nullopt : std::optional(std::move(out_));
  }

 private:
  void write_value(std::string_view value, std::size_t depth, bool is_root) {
    if (depth > deepest_schema || out_.size() > largest_schema) is_failed_ = true;
    if (is_failed_) return;
    if (json_is_array(value)) return write_array(value, depth);
    if (!json_is_object(value)) return void(out_ += value);
    const auto ref = json_find(value, "$ref");
    if (ref && json_is_string(*ref))
      return write_named(value, json_unescape(json_raw_string(*ref)), depth, is_root);
    out_ += '{';
    write_members(value, depth, is_root);
    out_ += '}';
  }

  void write_members(std::string_view object, std::size_t depth, bool is_root) {
    json_walk walk(object);
    while (const auto each = walk.next_member()) {
      const bool is_ref = each->raw_key == "$ref" && json_is_string(each->value);
      if (is_ref || (is_root && is_definitions(each->raw_key))) continue;
      if (!out_.ends_with('{')) out_ += ',';
      out_.append("\"").append(each->raw_key).append("\":");
      write_value(each->value, depth + 1, false);
    }
  }

  void write_array(std::string_view list, std::size_t depth) {
    out_ += '[';
    json_walk walk(list);
    for (const char* separator = ""; const auto each = walk.next_element(); separator = ",") {
      out_ += separator;
      write_value(*each, depth + 1, false);
    }
    out_ += ']';
  }

  // Members next to a $ref (a description, a default) are kept, before the members of the named part.
  void write_named(std::string_view value, const std::string& ref, std::size_t depth, bool is_root) {
    const auto named = part_of(ref);
    const bool is_open = std::find(open_.begin(), open_.end(), ref) != open_.end();
    if (!named || is_open || !json_is_object(*named)) {
      is_failed_ = true;
      return;
    }
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

  // The named part is itself a $ref: its members follow.
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
    json_walk walk(named);
    while (const auto each = walk.next_member()) {
      if (json_find(value, json_unescape(each->raw_key))) continue;
      if (!out_.ends_with('{')) out_ += ',';
      out_.append("\"").append(each->raw_key).append("\":");
      write_value(each->value, depth + 1, false);
    }
  }

  // "#/$defs/point" or "#".
  std::optional<std::string_view> part_of(std::string_view ref) const {
    if (!ref.starts_with('#')) return std::nullopt;
    ref.remove_prefix(1);
    std::string_view part = root_;
    while (!ref.empty()) {
      if (ref.front() != '/') return std::nullopt;
      const std::size_t end = std::min(ref.find('/', 1), ref.size());
      const auto next = json_find(part, unescaped_step(ref.substr(1, end - 1)));
      if (!next) return std::nullopt;
      part = *next;
      ref.remove_prefix(end);
    }
    return part;
  }

  // RFC 6901: ~1 is a slash, ~0 a tilde.
  static std::string unescaped_step(std::string_view step) {
    std::string text;
    for (std::size_t i = 0; i < step.size(); ++i) {
      const bool is_escape = step[i] == '~' && i + 1 < step.size() && (step[i + 1] == '0' || step[i + 1] == '1');
      text += is_escape ? (step[++i] == '1' ? '/' : '~') : step[i];
    }
    return text;
  }

  const std::string_view root_;
  std::string out_;
  std::vector<std::string> open_;  // parts that are being written: one that names itself has no end
  bool is_failed_ = false;
};

}  // namespace

std::optional<std::string> inline_refs(std::string_view schema) {
  if (!json_is_object(schema) || schema.find("\"$ref\"") == std::string_view::npos) return std::nullopt;
  return schema_inliner(schema).write();
}

}  // namespace photofinish::proxy
