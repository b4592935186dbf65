#include "gateway/content/content_line.hpp"

#include "gateway/log/time_text.hpp"
#include "proxy/failures/sanitized_text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::size_t longest_name = 256;
// the number of bytes in a line for the JSON syntax, and for the fields that follow the request and the answer
constexpr std::size_t room_beside = 512;

std::string_view escape_of(std::string_view control, std::string& room) {
  switch (control.front()) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: break;
  }
  return room = proxy::json_escape_of(control);
}

// Returns the number of bytes at position `at` that are written as a single escape. Returns 0 if no escape is needed.
std::size_t escaped_length(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte == '"' || byte == '\\') return 1;
  return byte >= 0x20 && byte < 0x7F ? 0 : proxy::control_length(text, at);
}

// Appends `text` as the contents of a JSON string of at most `most` bytes. Returns false if the text was cut.
bool append_text(std::string& line, std::string_view text, std::size_t most) {
  std::string room;
  std::size_t taken = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    std::size_t escaped = 0;
    while (end < text.size() && (escaped = escaped_length(text, end)) == 0) ++end;
    // The difference is never negative, because `taken` is at most `most`.
    const std::string_view plain = cut_text(text.substr(at, end - at), most - taken);
    line += plain;
    taken += plain.size();
    if (plain.size() < end - at) return false;
    at = end;
    if (at == text.size()) break;
    const std::string_view escape = escape_of(text.substr(at, escaped), room);
    at += escaped;
    if (taken + escape.size() > most) return false;
    line += escape;
    taken += escape.size();
  }
  return true;
}

class line_text {
 public:
  void text(std::string_view name, const std::string& value) {
    if (value.empty()) return;
    begin(name) += '"';
    append_text(line_, proxy::valid_utf8(value), longest_name);
    line_ += '"';
  }
  void number(std::string_view name, std::uint64_t value) { begin(name) += std::to_string(value); }
  void yes(std::string_view name) { begin(name) += "true"; }
  std::string& begin(std::string_view name) {
    line_ += line_.size() > 1 ? ",\"" : "\"";
    line_ += name;
    return line_ += "\":";
  }
  std::size_t size() const { return line_.size(); }
  std::string take() && { return std::move(line_ += "}\n"); }

 private:
  std::string line_ = "{";
};

// Removes secrets from a text: the configured secrets, and the caller's own keys, which the configuration does not
// contain.
class cleaner {
 public:
  explicit cleaner(const content_entry& entry) : own_(entry.keys), known_(entry.redacts.get()) {}
  std::string clean(std::string_view text) const {
    const std::string own = own_.redact(text);
    return proxy::valid_utf8(known_ == nullptr ? own : known_->redact(own));
  }

 private:
  const proxy::redactor own_;
  const proxy::redactor* known_;
};

void append_head(line_text& line, const content_entry& entry) {
  line.begin("time") += "\"" + time_text(entry.received_at) + "\"";
  line.text("id", entry.id);
  line.text("race", entry.race_id);
  line.text("client", entry.client);
  line.text("team", entry.team);
  line.text("endpoint", entry.endpoint);
  line.text("route", entry.route);
  line.text("model", entry.model);
  line.text("winner", entry.winner);
  line.text("outcome", entry.outcome);
  line.number("status", static_cast<std::uint64_t>(entry.status));
  line.text("code", entry.code);
  line.text("cache", entry.cache);
  if (entry.is_streamed) line.yes("stream");
  line.number("duration_ms", static_cast<std::uint64_t>(entry.duration.count()));
}

void append_request(line_text& line, const content_entry& entry, const cleaner& keys, std::size_t most) {
  line.number("request_bytes", entry.request.bytes);
  if (entry.request.is_form) return line.yes("request_is_form");
  std::string& text = line.begin("request") += '"';
  const bool is_whole = append_text(text, keys.clean(entry.request.text), most);
  text += '"';
  if (!is_whole || entry.request.text.size() < entry.request.bytes) line.yes("request_truncated");
}

void append_answer(line_text& line, const content_entry& entry, const cleaner& keys, std::size_t end) {
  line.number("answer_bytes", entry.answer.bytes());
  bool is_cut = entry.answer.is_cut();
  std::string& text = line.begin("answer") += '[';
  bool is_first = true;
  for (const answer_part& each : entry.answer.parts()) {
    std::string head = is_first ? "{\"kind\":\"" : ",{\"kind\":\"";
    head.append(each.kind) += '"';
    if (each.choice != 0) head += ",\"choice\":" + std::to_string(each.choice);
    head += ",\"text\":\"";
    constexpr std::string_view tail = "\"}";
    if (text.size() + head.size() + tail.size() >= end) {
      is_cut = true;
      break;
    }
    text += head;
    const bool is_whole = append_text(text, keys.clean(each.text), end - text.size() - tail.size());
    text += tail;
    is_first = false;
    if (is_whole) continue;
    is_cut = true;
    break;
  }
  text += ']';
  if (is_cut) line.yes("answer_truncated");
}

}  // namespace

std::string content_line(const content_entry& entry) {
  const cleaner keys(entry);
  const std::size_t end = entry.max_line - room_beside;
  line_text line;
  append_head(line, entry);
  append_request(line, entry, keys, (end - std::min(line.size(), end)) / 2);
  append_answer(line, entry, keys, end);
  return std::move(line).take();
}

}  // namespace photofinish::gateway
