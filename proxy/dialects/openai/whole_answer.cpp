#include "proxy/dialects/openai/whole_answer.hpp"

#include "proxy/dialects/repairs/finish_words.hpp"
#include "proxy/dialects/openai/stream_state.hpp"
#include "proxy/json/member_index.hpp"
#include "proxy/json/tolerant_json.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::proxy {
namespace {

// The maximum size of a member that is repeated in every chunk, in bytes. Longer members would multiply the traffic.
constexpr std::size_t max_repeated_bytes = 256;
// The maximum total size of the members that are repeated in every chunk, in bytes. The member `object` and at most
// four other members are repeated.
constexpr std::size_t max_identity_bytes = 5 * max_repeated_bytes;

bool is_key(const json_member& member, std::string_view key) { return json_key_is(member.raw_key, key); }

bool is_number(std::string_view value) { return !value.empty() && value.front() >= '0' && value.front() <= '9'; }

bool is_valid(std::string& json) {
  json.reserve(json.size() + readable_behind);
  // This function is rarely needed, so it creates its own parser, whose memory is freed immediately.
  tolerant_parser parser;
  return parser.parse(json).error() == simdjson::SUCCESS;
}

bool is_repeated(const json_member& member) {
  const bool is_ours = is_key(member, "id") || is_key(member, "created") || is_key(member, "model") ||
                       is_key(member, "system_fingerprint");
  return is_ours && member.whole.size() <= max_repeated_bytes;
}

bool is_nothing(std::string_view value) { return json_is_null(value) || value == "false" || value == R"("")"; }

// True if the answer reports an error. Successful answers may contain {"error":null} or similar members. Another class
// reads answers with an error.
bool reports_error(std::string_view json) {
  const auto error = json_find(json, "error");
  return error && !is_nothing(*error) && *error != "0";
}

// Adds the member `index` to each call, because a stream must contain the index of each call.
std::string calls_with_index(std::string_view list) {
  std::string calls = "[";
  std::size_t position = 0;
  for (const std::string_view entry : json_elements(list)) {
    if (!json_is_object(entry)) continue;
    if (calls.size() > 1) calls.push_back(',');
    if (json_find(entry, "index")) {
      calls.append(entry);
    } else {
      const bool is_empty = !json_walk(entry).next_member();
      calls.append("{\"index\":" + std::to_string(position)).append(is_empty ? "" : ",").append(entry.substr(1));
    }
    ++position;
  }
  return calls.append("]");
}

// Returns the content of a choice: its `message`, or its `text` from servers of the older completions API. Some servers
// send a `delta`, as in a stream. Returns an empty view if there is no such member.
std::string_view said_in_chat(std::string_view choice) {
  auto message = json_find(choice, "message");
  if (!message) message = json_find(choice, "delta");
  if (message && json_is_object(*message)) return *message;
  const auto text = json_find(choice, "text");
  return text && json_is_string(*text) ? *text : std::string_view{};
}

std::string delta_of(std::string_view said) {
  if (json_is_string(said)) return std::string(R"({"role":"assistant","content":)").append(said).append("}");
  std::string delta = "{";
  for (const json_member& member : json_members(said)) {
    const bool is_calls = is_key(member, "tool_calls");
    if (is_calls && is_nothing(member.value)) continue;
    if (delta.size() > 1) delta.push_back(',');
    const bool is_list = is_calls && json_is_array(member.value);
    if (is_list) delta.append("\"tool_calls\":").append(calls_with_index(member.value));
    else delta.append(member.whole);
  }
  return delta.append("}");
}

bool is_written_elsewhere(const json_member& member) {
  return is_key(member, "index") || is_key(member, "message") || is_key(member, "delta") || is_key(member, "text") ||
         is_key(member, "finish_reason");
}

}  // namespace

whole_answer::whole_answer(std::string body, const chunk_form& form)
    : form_(form), body_(std::move(body)), writer_(form, {}) {
  is_completion_ = is_valid(body_) && read();
}

std::string_view whole_answer::said_by(std::string_view choice) const {
  if (!json_is_object(choice)) return {};
  if (form_.has_roles) return said_in_chat(choice);
  const auto text = json_find(choice, form_.said);
  return text && json_is_string(*text) ? *text : std::string_view{};
}

bool whole_answer::read() {
  // Line ends are replaced by spaces, because the data of an event is a single line. In valid JSON, unescaped line ends
  // occur only between tokens.
  const auto is_line_end = [](char byte) { return byte == '\n' || byte == '\r'; };
  std::replace_if(body_.begin(), body_.end(), is_line_end, ' ');
  const std::size_t begin = std::min(body_.find_first_not_of(" \t"), body_.size());
  const std::string_view json = std::string_view(body_).substr(begin);
  if (!json_is_object(json) || reports_error(json)) return false;
  std::string identity(form_.object_member);
  for (const json_member& member : json_members(json)) read_member(member, identity);
  writer_ = chunk_writer(form_, std::move(identity));
  const auto says_something = [this](std::string_view choice) { return !said_by(choice).empty(); };
  return !choices_.empty() && choices_.size() <= max_choices &&
         std::all_of(choices_.begin(), choices_.end(), says_something);
}

void whole_answer::read_member(const json_member& member, std::string& identity) {
  if (is_key(member, "object") || is_key(member, "error")) return;
  if (is_key(member, "choices") && json_is_array(member.value)) {
    for (const std::string_view choice : json_elements(member.value)) choices_.push_back(choice);
  } else if (is_key(member, "usage")) {
    usage_ = member.value;
  } else {
    const bool has_room = identity.size() + member.whole.size() <= max_identity_bytes;
    std::string& place = has_room && is_repeated(member) ? identity : extras_;
    place.append(",").append(member.whole);
  }
}

std::string whole_answer::failed_finish() const {
  for (const std::string_view choice : choices_) {
    const auto finish = json_find(choice, "finish_reason");
    if (!finish || !json_is_string(*finish)) continue;
    std::string word = json_unescape(json_raw_string(*finish));
    if (is_failed_finish(word)) return word;
  }
  return {};
}

std::string_view whole_answer::next_chunk() {
  if (is_finish_next_) {
    is_finish_next_ = false;
    const std::size_t position = next_++;
    const auto finish = json_find(choices_[position], "finish_reason");
    if (finish && json_is_string(*finish)) {
      writer_.add_choice(index_of(position), form_.nothing, *finish);
      return writer_.chunk();
    }
  }
  if (next_ < choices_.size()) return words_chunk(next_);
  const std::string_view usage = std::exchange(usage_, {});
  return json_is_object(usage) ? writer_.usage_chunk(usage) : std::string_view{};
}

std::string_view whole_answer::words_chunk(std::size_t position) {
  is_finish_next_ = true;
  const std::string_view choice = choices_[position];
  std::string others;
  for (const json_member& member : json_members(choice))
    if (!is_written_elsewhere(member)) others.append(",").append(member.whole);
  const std::string_view said = said_by(choice);
  writer_.add_choice(index_of(position), form_.has_roles ? delta_of(said) : std::string(said), "null", others);
  return writer_.chunk(std::exchange(extras_, {}));
}

std::string whole_answer::index_of(std::size_t position) const {
  const std::string_view reported = json_find(choices_[position], "index").value_or(std::string_view{});
  return is_number(reported) ? std::string(reported) : std::to_string(position);
}

}  // namespace photofinish::proxy
