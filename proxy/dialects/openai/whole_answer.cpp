#include "proxy/dialects/openai/whole_answer.hpp"

#include "proxy/dialects/openai/chunk_writer.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/json/member_index.hpp"
#include "proxy/json/tolerant_json.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

constexpr std::size_t padding = 64;  // what simdjson may read behind its text

// As many as stream_state takes.
constexpr std::size_t max_choices = 1024;

// What stands in every chunk must not make much out of little: neither a long member nor one that is said often.
constexpr std::size_t max_repeated_bytes = 256;
constexpr std::size_t max_identity_bytes = 5 * max_repeated_bytes;  // `object`, and each of the four others once

bool is_key(const json_member& member, std::string_view key) { return json_key_is(member.raw_key, key); }

bool is_number(std::string_view value) { return !value.empty() && value.front() >= '0' && value.front() <= '9'; }

bool is_valid(std::string& json) {
  json.reserve(json.size() + padding);
  tolerant_parser parser;  // of its own: this is rare, and its memory goes with it
  return parser.parse(json).error() == simdjson::SUCCESS;
}

// What each chunk of the stream says of itself, what is said once, and the answer.
struct completion {
  std::string identity;  // `"object":"chat.completion.chunk"` and more members
  std::string extras;    // further members, each behind a comma
  std::vector<std::string_view> choices;
  std::string_view usage;
};

bool is_repeated(const json_member& member) {
  const bool is_ours = is_key(member, "id") || is_key(member, "created") || is_key(member, "model") ||
                       is_key(member, "system_fingerprint");
  return is_ours && member.whole.size() <= max_repeated_bytes;
}

completion read(std::string_view json) {
  completion said{.identity = std::string(chunk_object), .extras = {}, .choices = {}, .usage = {}};
  json_walk walk(json);
  while (const auto member = walk.next_member()) {
    if (is_key(*member, "object") || is_key(*member, "error")) continue;
    if (is_key(*member, "choices") && json_is_array(member->value)) {
      json_walk list(member->value);
      while (const auto choice = list.next_element()) said.choices.push_back(*choice);
    } else if (is_key(*member, "usage")) {
      said.usage = member->value;
    } else {
      const bool has_room = said.identity.size() + member->whole.size() <= max_identity_bytes;
      std::string& place = has_room && is_repeated(*member) ? said.identity : said.extras;
      place.append(",").append(member->whole);
    }
  }
  return said;
}

// {"error":null} and the like stand on good answers; an error that says something is not for us to read.
bool tells_error(std::string_view json) {
  const auto error = json_find(json, "error");
  const bool is_nothing = !error || json_is_null(*error) || *error == "false" || *error == R"("")" || *error == "0";
  return !is_nothing;
}

// In a stream each entry says which call it goes on with.
std::string calls_with_index(std::string_view list) {
  std::string calls = "[";
  std::size_t position = 0;
  json_walk walk(list);
  while (const auto entry = walk.next_element()) {
    if (!json_is_object(*entry)) continue;
    if (calls.size() > 1) calls.push_back(',');
    if (json_find(*entry, "index")) {
      calls.append(*entry);
    } else {
      const bool is_empty = !json_walk(*entry).next_member();
      calls.append("{\"index\":" + std::to_string(position)).append(is_empty ? "" : ",").append(entry->substr(1));
    }
    ++position;
  }
  return calls.append("]");
}

// Of a choice's `message`; servers that mix up the two forms say `delta`, and older APIs a `text`.
std::optional<std::string> delta_of(std::string_view choice) {
  auto message = json_find(choice, "message");
  if (!message) message = json_find(choice, "delta");
  if (!message || !json_is_object(*message)) {
    const auto text = json_find(choice, "text");
    if (!text || !json_is_string(*text)) return std::nullopt;
    return std::string(R"({"role":"assistant","content":)").append(*text).append("}");
  }
  std::string delta = "{";
  json_walk walk(*message);
  while (const auto member = walk.next_member()) {
    const bool is_calls = is_key(*member, "tool_calls");
    if (is_calls && !json_is_array(member->value)) continue;
    if (delta.size() > 1) delta.push_back(',');
    if (is_calls) delta.append("\"tool_calls\":").append(calls_with_index(member->value));
    else delta.append(member->whole);
  }
  return delta.append("}");
}

class stream_writer {
 public:
  explicit stream_writer(completion said) : said_(std::move(said)), writer_(std::move(said_.identity)) {}

  std::optional<std::string> write() {
    for (std::size_t position = 0; position < said_.choices.size(); ++position)
      if (!write_choice(said_.choices[position], position)) return std::nullopt;
    if (json_is_object(said_.usage)) add_event(writer_.usage_chunk(said_.usage));
    out_ += "data: [DONE]\n\n";
    out_.reserve(out_.size() + padding);
    return std::move(out_);
  }

 private:
  bool write_choice(std::string_view choice, std::size_t position) {
    if (!json_is_object(choice)) return false;
    const auto delta = delta_of(choice);
    if (!delta) return false;
    const std::string_view told = json_find(choice, "index").value_or(std::string_view{});
    const std::string index = is_number(told) ? std::string(told) : std::to_string(position);
    std::string others;
    json_walk walk(choice);
    while (const auto member = walk.next_member())
      if (!is_written_elsewhere(*member)) others.append(",").append(member->whole);
    writer_.add_choice(index, *delta, "null", others);
    add_event(writer_.chunk(std::exchange(said_.extras, {})));
    const auto finish = json_find(choice, "finish_reason");
    if (!finish || !json_is_string(*finish)) return true;
    writer_.add_choice(index, "{}", *finish);
    add_event(writer_.chunk());
    return true;
  }

  static bool is_written_elsewhere(const json_member& member) {
    return is_key(member, "index") || is_key(member, "message") || is_key(member, "delta") || is_key(member, "text") ||
           is_key(member, "finish_reason");
  }

  void add_event(std::string_view chunk) { out_.append("data: ").append(chunk).append("\n\n"); }

  completion said_;
  chunk_writer writer_;
  std::string out_;
};

}  // namespace

std::optional<std::string> stream_of_whole_answer(std::string body) {
  if (!is_valid(body)) return std::nullopt;
  // An event's data is one line. Valid JSON holds a bare line end only between its tokens.
  const auto is_line_end = [](char byte) { return byte == '\n' || byte == '\r'; };
  std::replace_if(body.begin(), body.end(), is_line_end, ' ');
  const std::size_t begin = std::min(body.find_first_not_of(" \t"), body.size());
  const std::string_view json = std::string_view(body).substr(begin);
  if (!json_is_object(json) || tells_error(json)) return std::nullopt;
  completion said = read(json);
  if (said.choices.empty() || said.choices.size() > max_choices) return std::nullopt;
  return stream_writer(std::move(said)).write();
}

}  // namespace photofinish::proxy
