#include "proxy/failures/error_shapes.hpp"

#include "proxy/failures/error_words.hpp"
#include "proxy/failures/retry_after.hpp"
#include "proxy/json/json_scan.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/json/tolerant_json.hpp"
#include "proxy/words/ascii.hpp"

#include <simdjson.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace photofinish::proxy {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

constexpr std::size_t max_detail_bytes = 2048;  // maximum size of the error's text, and of its details
constexpr std::size_t max_word_bytes = 128;
constexpr int max_depth = 6;          // levels of nested members that are read; deeper levels add no information
constexpr int max_joined_faults = 8;  // the maximum number of validation errors in one message

// The data in an error answer, such as its message, code and type. If several nested objects of the answer contain the
// same member, the innermost member counts, because outer objects are wrappers.
struct reported {
  std::string message;
  std::string code;
  std::string type;
  std::string param;
  int status = 0;
  std::optional<std::chrono::milliseconds> retry_after;
  std::string details;
};

void read(element value, reported& said, int depth);

void keep_first(std::string& held, std::string_view offered) {
  if (held.empty()) held = offered;
}

template <class T>
std::optional<T> get(element object, std::string_view key) {
  T value;
  if (object[key].get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

bool is_json_text(std::string_view text) {
  const std::size_t at = text.find_first_not_of(" \t\r\n");
  return at != std::string_view::npos && (text[at] == '{' || text[at] == '[');
}

// Reads an error from JSON. Returns false if `text` is malformed, incomplete, or nested more deeply than the parser
// allows (1024).
bool read_text(std::string_view text, reported& said, int depth) {
  simdjson::dom::parser parser;
  element document;
  if (text.empty()) return false;
  if (parser.parse(text.data(), text.size()).get(document) != simdjson::SUCCESS &&
      parser.parse(strict_json(text)).get(document) != simdjson::SUCCESS)
    return false;
  return read(document, said, depth), true;
}

std::string_view without_leading_space(std::string_view text) {
  const std::size_t at = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return at == std::string_view::npos ? std::string_view{} : text.substr(at);
}

// Returns an HTML page's title, for example `: "502 Bad gateway"`. The title is usually the only short sentence in the
// page.
std::string html_title(std::string_view page) {
  const std::size_t open = page.find("<title>");
  if (open == std::string_view::npos) return {};
  const std::string_view rest = page.substr(open + 7);
  const std::string title = clean_text(rest.substr(0, rest.find('<')), 100);
  return title.empty() ? title : ": \"" + title + "\"";
}

// True if a text begins as an HTML document does. Some providers begin their error sentences with other text in angle
// brackets, for example "<400> InternalError".
bool begins_with_page(std::string_view text) {
  constexpr std::string_view marks[] = {"<!doctype", "<html", "<head", "<?xml"};
  const std::string beginning = ascii_lower(without_leading_space(text).substr(0, marks[0].size() + 1));
  return std::any_of(std::begin(marks), std::end(marks), [&beginning](std::string_view mark) {
    if (!beginning.starts_with(mark)) return false;
    return beginning.size() == mark.size() ||
           std::string_view(" \t\r\n>/").find(beginning[mark.size()]) != std::string_view::npos;
  });
}

// Reads a message. A message may itself be JSON in a string, or a whole HTML page from a proxy. An HTML page contains
// closing tags, whereas "<html> is not allowed" is an ordinary sentence.
void read_message(std::string_view text, reported& said, int depth) {
  if (!said.message.empty()) return;
  if (depth < max_depth && is_json_text(text)) read_text(text, said, depth + 1);
  if (begins_with_page(text) && text.find("</") != std::string_view::npos)
    return keep_first(said.message, "an HTML page" + html_title(text));
  keep_first(said.message, text);
}

bool is_error_status(std::int64_t number) { return number >= 400 && number <= 599; }

// Reads a member that should contain a code. A number that is an HTTP error status is stored as the status, not as the
// code. A sentence is ignored.
void read_code(element code, reported& said) {
  std::int64_t number = 0;
  std::string_view text;
  std::string digits;
  if (code.get(number) == simdjson::SUCCESS)
    digits = std::to_string(number), text = digits;
  else if (code.get(text) != simdjson::SUCCESS)
    return;
  if (text.size() == 3 && text.find_first_not_of("0123456789") == std::string_view::npos)
    number = std::stoi(std::string(text));
  if (is_error_status(number)) {
    if (said.status == 0) said.status = static_cast<int>(number);
  } else if (text.size() <= max_word_bytes && text.find_first_of(" \t\r\n") == std::string_view::npos) {
    keep_first(said.code, text);
  }
}

// Converts a path such as ["body", "messages", 0, "content"] to "messages.0.content".
std::string read_path(element path) {
  std::string joined;
  simdjson::dom::array steps;
  if (path.get(steps) != simdjson::SUCCESS) return joined;
  for (const element step : steps) {
    std::string_view name;
    std::int64_t index = 0;
    std::string word;
    if (step.get(name) == simdjson::SUCCESS)
      word = name;
    else if (step.get(index) == simdjson::SUCCESS)
      word = std::to_string(index);
    if (word.empty() || (joined.empty() && word == "body")) continue;
    if (joined.size() > max_word_bytes) break;
    joined += (joined.empty() ? "" : ".") + word;
  }
  return joined;
}

// Keeps details that programs evaluate, such as Anthropic's {"error_code":…} and Google's list. They are serialized
// again, so that a secret in them has no escaped characters and the redactor finds it.
void keep_details(element object, reported& said) {
  const auto details = get<element>(object, "details");
  if (!said.details.empty() || !details || !(details->is_object() || details->is_array())) return;
  std::string json = simdjson::minify(*details);
  if (json.size() <= max_detail_bytes) said.details = std::move(json);
}

// Reads Google's form of retry-after. Also reads the members in which OpenRouter forwards the original provider's
// error.
void read_extras(element object, reported& said, int depth) {
  keep_details(object, said);
  if (const auto details = get<simdjson::dom::array>(object, "details")) {
    for (const element detail : *details) {
      const auto delay = get<std::string_view>(detail, "retryDelay");
      if (delay && !said.retry_after) said.retry_after = read_duration_seconds(*delay);
      if (const auto reason = get<std::string_view>(detail, "reason")) keep_first(said.code, *reason);
    }
  }
  const auto metadata = get<element>(object, "metadata");
  const auto raw = metadata ? get<std::string_view>(*metadata, "raw") : std::nullopt;
  if (!raw || raw->empty()) return;
  reported inner;
  read_message(*raw, inner, depth);
  said.message += (said.message.empty() ? "" : ": ") + inner.message;
}

// True if the text has the form of Google's statuses, such as RESOURCE_EXHAUSTED. Types in lower case, such as "error"
// and "fail", carry no information.
bool is_google_status(std::string_view text) {
  return !text.empty() && text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == std::string_view::npos;
}

// Reads the type in AWS's "com.amazon.coral.service#ThrottlingException:http://internal.amazon.com/coral/".
std::string_view type_in(std::string_view text) {
  text = text.substr(0, text.find(':'));
  const std::size_t mark = text.find('#');
  return mark == std::string_view::npos ? text : text.substr(mark + 1);
}

void read_words(element object, reported& said, int depth) {
  for (const char* key :
       {"message", "detail", "error", "msg", "error_message", "error_description", "reason", "title"})
    if (const auto text = get<std::string_view>(object, key)) read_message(*text, said, depth);
  for (const char* key : {"code", "status", "status_code", "statusCode", "error_code"})
    if (const auto number = get<std::int64_t>(object, key)) read_code(*get<element>(object, key), said);
  if (const auto code = get<std::string_view>(object, "code")) read_code(*get<element>(object, "code"), said);
  if (const auto type = get<std::string_view>(object, "type"); type && *type != "error")
    keep_first(said.type, *type);
  if (const auto type = get<std::string_view>(object, "__type")) keep_first(said.type, type_in(*type));
  if (const auto status = get<std::string_view>(object, "status"); status && is_google_status(*status))
    keep_first(said.type, *status);
  if (const auto param = get<std::string_view>(object, "param")) keep_first(said.param, *param);
}

// Reads which parameter an entry of a validation list rejects: {"loc": ["body", "store"], "type": "extra_forbidden"}.
void read_place(element object, reported& said) {
  for (const char* key : {"loc", "path"}) {
    const auto path = get<element>(object, key);
    const std::string place = path ? read_path(*path) : std::string{};
    if (place.empty()) continue;
    keep_first(said.param, place);
    keep_first(said.message, said.type);
    if (!said.message.starts_with(place)) said.message = place + ": " + said.message;
  }
}

// MiniMax reports errors with the status 200: {"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}.
// The numbers are translated to types here, because Zhipu uses some of the same numbers for other errors. Source:
// platform.minimax.io, error codes, 2026-11.
void read_base_response(element object, reported& said) {
  constexpr std::pair<std::int64_t, std::string_view> types[] = {
      {1001, "timeout_error"},         {1002, "rate_limit"},           {1004, "authentication_error"},
      {1008, "insufficient_balance"},  {1026, "content_filter"},       {1027, "content_filter"},
      {1039, "rate_limit"},            {1041, "rate_limit"},           {1042, "invalid_request_error"},
      {2013, "invalid_request_error"}, {2049, "authentication_error"}, {2056, "rate_limit"}};
  const auto response = get<element>(object, "base_resp");
  if (!response || !response->is_object()) return;
  const auto code = get<std::int64_t>(*response, "status_code").value_or(0);
  if (code == 0) return;
  const auto* const known =
      std::find_if(std::begin(types), std::end(types), [code](const auto& each) { return each.first == code; });
  keep_first(said.message, get<std::string_view>(*response, "status_msg").value_or(""));
  keep_first(said.message, "error " + std::to_string(code));
  keep_first(said.type, known == std::end(types) ? "server_error" : known->second);
}

void read_object(element object, reported& said, int depth) {
  const auto read_inside = [&](std::initializer_list<const char*> keys) {
    for (const char* key : keys)
      if (const auto value = get<element>(object, key); value && (value->is_object() || value->is_array()))
        read(*value, said, depth + 1);
  };
  read_inside({"error", "message", "detail"});
  read_base_response(object, said);
  read_words(object, said, depth);
  if (said.message.empty()) read_inside({"errors", "cause", "data", "body", "choices"});
  read_place(object, said);
  read_extras(object, said, depth);
}

void read_array(simdjson::dom::array list, reported& said, int depth) {
  int count = 0;
  std::string joined;
  for (const element entry : list) {
    if (++count > max_joined_faults) break;
    reported one;
    read(entry, one, depth + 1);
    if (!one.message.empty()) joined += (joined.empty() ? "" : "; ") + one.message;
    keep_first(said.code, one.code);
    keep_first(said.type, one.type);
    keep_first(said.param, one.param);
    keep_first(said.details, one.details);
    if (said.status == 0) said.status = one.status;
    if (!said.retry_after) said.retry_after = one.retry_after;
  }
  keep_first(said.message, joined);
}

void read(element value, reported& said, int depth) {
  if (depth > max_depth) return;
  switch (value.type()) {
    case element_type::OBJECT: return read_object(value, said, depth);
    case element_type::ARRAY: return read_array(value.get_array().value_unsafe(), said, depth);
    case element_type::STRING: return read_message(value.get_string().value_unsafe(), said, depth);
    default: return;
  }
}

// Returns an error text for an answer whose body is not JSON. The text never contains a whole HTML page.
std::string describe_body(const error_response& response) {
  const std::string status = "HTTP " + std::to_string(response.status);
  const std::string_view body = without_leading_space(response.body);
  if (body.empty()) return status + " with an empty body";
  if (begins_with_page(body) && body[1] == '?') return status + " with an XML document instead of JSON";
  if (begins_with_page(body) || response.content_type.find("html") != std::string_view::npos)
    return status + " with an HTML page instead of JSON" + html_title(body);
  if (response.status < 400)
    // the body may be a model's answer instead of an error, so an error text must not quote it
    return status + " with something other than " + std::string(response.expected);
  return std::string(body);
}

failure to_failure(const reported& said, int status) {
  const error_meaning meaning = meaning_of({status, said.code, said.type, said.message, said.param});
  return {.kind = meaning.kind,
          .detail = clean_text(said.message, max_detail_bytes),
          .status = meaning.status,
          .code = clean_text(meaning.code.empty() ? std::string_view(said.code) : meaning.code, max_word_bytes),
          .type = clean_text(said.type, max_word_bytes),
          .param = clean_text(said.param, max_word_bytes),
          .retry_after = said.retry_after,
          .scope = meaning.scope,
          .details = said.details};
}

}  // namespace

failure read_error(const error_response& response, std::chrono::sys_seconds now) {
  reported said;
  said.type = type_in(response.type);
  read_text(response.body, said, 0);
  if (said.message.empty()) said.message = said.code;
  if (said.message.empty()) said.message = describe_body(response);
  failure why = to_failure(said, response.status >= 400 ? response.status : said.status);
  if (why.status == 0) {
    why.kind = failure_kind::bad_stream;
    why.status = response.status;
  }
  if (const auto wait = read_retry_after(response.retry_after_ms, response.retry_after, now))
    why.retry_after = wait;
  return why;
}

failure error_in_answer(std::string_view json, std::string_view expected) {
  const std::string_view shown = json.substr(0, max_error_bytes);
  return read_error({.status = 200, .content_type = "application/json", .body = shown, .expected = expected}, {});
}

failure error_from_event(std::string_view json, std::string_view type) {
  reported said;
  said.type = type_in(type);
  if (!read_text(json, said, 0)) said.message = json;
  if (said.message.empty()) said.message = said.code.empty() ? said.type : said.code;
  failure why = to_failure(said, said.status);
  if (why.detail.empty()) why.detail = no_error_text;
  return why;
}

std::optional<failure> error_from_bare(std::string_view json) {
  const std::string_view first = json_is_array(json) ? json_walk(json).next_element().value_or("") : json;
  if (!is_whole_object(first)) return std::nullopt;
  const auto error = json_find(first, "error");
  const bool is_said = error && (json_is_object(*error) || json_is_string(*error));
  return is_said ? std::optional(error_from_event(first)) : std::nullopt;
}

}  // namespace photofinish::proxy
