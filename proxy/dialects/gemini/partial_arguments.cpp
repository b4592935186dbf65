#include "proxy/dialects/gemini/partial_arguments.hpp"

#include "proxy/conversation/object_members.hpp"
#include "proxy/json/json_text.hpp"

#include <algorithm>
#include <charconv>

namespace photofinish::proxy {
namespace {

constexpr std::size_t max_depth = 64;        // the maximum depth of nested objects and lists in arguments
// The maximum length of a path, in bytes; a path is stored until its call ends.
constexpr std::size_t longest_path = 4096;

// Reads a quoted key. `text` begins after the opening quote. Returns the text after the closing quote, or an empty view
// if there is no closing quote.
std::string_view read_quoted(std::string_view text, char quote, std::string& key) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == quote) return text.substr(at + 1);
    if (text[at] == '\\' && at + 1 < text.size()) ++at;
    key += text[at];
  }
  return {};
}

}  // namespace

// Reads a JSON path (RFC 9535) to one value. Steps have the forms $.key, ['key'] and [0].
bool partial_arguments::read_path(std::string_view path, steps& into) {
  if (!path.starts_with('$') || path.size() > longest_path) return false;
  path.remove_prefix(1);
  while (!path.empty()) {
    step next;
    if (into.size() == max_depth) return false;
    if (path.starts_with('.')) {
      path.remove_prefix(1);
      next.key = path.substr(0, path.find_first_of(".["));
      path.remove_prefix(next.key.size());
      if (next.key.empty()) return false;
    } else if (path.starts_with("['") || path.starts_with("[\"")) {
      path = read_quoted(path.substr(2), path[1], next.key);
      if (!path.starts_with(']')) return false;
      path.remove_prefix(1);
    } else {
      next.is_index = true;
      if (!path.starts_with('[')) return false;
      const auto read = std::from_chars(path.data() + 1, path.data() + path.size(), next.index);
      if (read.ec != std::errc{} || read.ptr == path.data() + path.size() || *read.ptr != ']') return false;
      path.remove_prefix(static_cast<std::size_t>(read.ptr - path.data()) + 1);
    }
    into.push_back(std::move(next));
  }
  return !into.empty();
}

bool partial_arguments::add(std::string_view entry, std::string& out) {
  const object_members value(entry);
  const std::string path_text = json_unescape(value.word("jsonPath"));
  const std::string_view text = value["stringValue"];
  const bool is_text = json_is_string(text);
  const bool goes_on = is_text && value["willContinue"] == "true";
  steps path;
  if (!read_path(path_text, path)) return false;
  if (!is_in_string_ || !is_text || path != at_) {
    if (!go_to(path, out)) return false;
    if (is_text) out += "\"";
  }
  if (is_text) {
    out += json_raw_string(text);
    is_in_string_ = goes_on;
    if (!goes_on) out += "\"";
  } else {
    const std::string_view number = value["numberValue"], flag = value["boolValue"];
    const bool is_number = !number.empty() && !json_is_string(number);
    out += is_number ? number : flag == "true" || flag == "false" ? flag : std::string_view("null");
  }
  return true;
}

bool partial_arguments::go_to(const steps& path, std::string& out) {
  const auto apart = std::mismatch(at_.begin(), at_.end(), path.begin(), path.end());
  const auto common = static_cast<std::size_t>(apart.second - path.begin());
  if (common == path.size()) return false;                  // an earlier entry already wrote a value at this path
  // At this path, an earlier entry already wrote a string, number or flag, which cannot contain other values.
  if (!at_.empty() && common == at_.size()) return false;
  if (open_.empty()) {
    out += "{";
    open_.push_back({});
  }
  close_to(common + 1, out);
  at_ = steps(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(common));
  for (std::size_t at = common; at < path.size(); ++at) {
    if (at > common) {
      out += path[at].is_index ? "[" : "{";
      open_.push_back({.is_array = path[at].is_index});
    }
    if (!enter(path[at], out)) return false;
    at_.push_back(path[at]);
  }
  return true;
}

// Begins the next value of the innermost open object or list.
bool partial_arguments::enter(const step& next, std::string& out) {
  container& in = open_.back();
  if (next.is_index != in.is_array || (next.is_index && next.index != in.values)) return false;
  if (in.values++ > 0) out += ",";
  if (!next.is_index) out.append(json_quote(next.key)).append(":");
  return true;
}

void partial_arguments::close_to(std::size_t depth, std::string& out) {
  if (is_in_string_) out += "\"";
  is_in_string_ = false;
  for (; open_.size() > depth; open_.pop_back()) out += open_.back().is_array ? "]" : "}";
}

void partial_arguments::finish(std::string& out) {
  if (open_.empty()) out += "{}";
  close_to(0, out);
  at_.clear();
}

}  // namespace photofinish::proxy
