#include "gateway/cache/cache_rules.hpp"

#include "proxy/json/json_text.hpp"
#include "proxy/words/parse_number.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace photofinish::gateway {
namespace {

using metrics::endpoint;

// The maximum value of max-age that is used, so that no clock overflows. A larger value would have the same effect.
constexpr std::chrono::seconds longest_age{366 * 24 * 3600};

bool is_generated(endpoint called) {
  return called == endpoint::chat_completions || called == endpoint::responses || called == endpoint::messages ||
         called == endpoint::completions;
}

// True for APIs whose answers are computed directly from the input. Requests to these APIs have no temperature.
bool is_computed(endpoint called) {
  return called == endpoint::embeddings || called == endpoint::rerank || called == endpoint::moderations;
}

// Members of a request that let the model perform actions, or read data that may change.
constexpr std::array<std::string_view, 6> acting{"tools",   "functions", "mcp_servers", "web_search_options",
                                                 "plugins", "container"};

bool says_nothing(std::string_view value) {
  if (value.empty() || proxy::json_is_null(value)) return true;
  if (proxy::json_is_array(value)) return !proxy::json_walk(value).next_element();
  return proxy::json_is_object(value) && !proxy::json_walk(value).next_member();
}

bool is_one(std::string_view value) { return says_nothing(value) || proxy::parse_number<double>(value) == 1.0; }

void add_part(std::string& text, std::string_view part) {
  text.append(std::to_string(part.size())).append(":").append(part);
}

// Removes the white space outside strings from a JSON text.
std::string compact(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (std::size_t at = 0; at < json.size();) {
    if (proxy::is_json_space(json[at])) {
      ++at;
      continue;
    }
    const std::string_view quoted = proxy::json_string_at(json.substr(at));
    const std::string_view taken = quoted.empty() ? json.substr(at, 1) : quoted;
    text += taken;
    at += taken.size();
  }
  return text;
}

// True for members that do not affect the answer: the format of the answer, and the end user's name. In the Responses
// API the answer repeats the user's name, so the name affects it.
bool is_left_out(std::string_view key, endpoint called) {
  constexpr std::array<std::string_view, 3> of_callers{"user", "safety_identifier", "prompt_cache_key"};
  if (key == "stream" || key == "stream_options") return true;
  if (called == endpoint::responses) return false;
  // The member that contains the user's id in Anthropic's API.
  if (called == endpoint::messages && key == "metadata") return true;
  return std::find(of_callers.begin(), of_callers.end(), key) != of_callers.end();
}

void add_body(std::string& text, const proxy::client_body& body, endpoint called) {
  std::vector<std::pair<std::string, std::string_view>> members;
  for (const proxy::json_member& each : body.members().members()) {
    std::string key = proxy::json_unescape(each.raw_key);
    if (!is_left_out(key, called)) members.emplace_back(std::move(key), each.value);
  }
  // If a key occurs several times, some providers use its first value and others use its last. Therefore the order of
  // equal keys is kept.
  std::sort(members.begin(), members.end(), [](const auto& one, const auto& other) {
    return one.first != other.first ? one.first < other.first : one.second.data() < other.second.data();
  });
  for (const auto& [key, value] : members) add_part(text, key), add_part(text, compact(value));
}

digest sha256(std::string_view text) {
  digest made{};
  EVP_Digest(text.data(), text.size(), made.data(), nullptr, EVP_sha256(), nullptr);
  return made;
}

void take_directive(std::string_view word, cache_directives& into) {
  if (proxy::equals_ignoring_case(word, "no-cache")) into.is_fresh_wanted = true;
  if (proxy::equals_ignoring_case(word, "no-store")) into.is_unkept = true;
  constexpr std::string_view max_age = "max-age=";
  if (word.size() <= max_age.size() || !proxy::equals_ignoring_case(word.substr(0, max_age.size()), max_age)) return;
  const std::string_view digits = word.substr(max_age.size());
  if (digits.find_first_not_of("0123456789") != std::string_view::npos) return;
  const auto seconds = proxy::parse_leading_number<std::uint32_t>(digits);
  into.max_age = seconds ? std::min(std::chrono::seconds(*seconds), longest_age) : longest_age;
}

}  // namespace

cache_directives read_cache_directives(std::span<const proxy::header_field> fields) {
  cache_directives directives;
  for (const auto& [name, value] : fields) {
    if (!proxy::equals_ignoring_case(name, "cache-control")) continue;
    for (std::string_view rest = value; !rest.empty();) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      take_directive(proxy::trim_space(rest.substr(0, comma)), directives);
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return directives;
}

bool may_be_cached(const parsed_request& asked, endpoint called, const cache_directives& directives) {
  if (!is_generated(called) && !is_computed(called)) return false;
  const proxy::client_body& body = *asked.body;
  if (body.is_form() || body.json().size() > longest_cached_request || !asked.state.field.empty()) return false;
  // The answer is not cached if the client requested usage data in every chunk.
  if (asked.usage == proxy::usage_chunk::wanted_always) return false;
  const auto says_something = [&body](std::string_view name) { return !says_nothing(body.value_of(name)); };
  if (std::any_of(acting.begin(), acting.end(), says_something)) return false;
  if (!is_one(body.value_of("n")) || !is_one(body.value_of("best_of"))) return false;
  const auto temperature = proxy::parse_number<double>(body.value_of("temperature"));
  return is_computed(called) || directives.max_age || temperature == 0.0;
}

digest question_digest(const cached_question& question) {
  std::string text;
  text.reserve(question.body->json().size() + 1024);
  for (const std::string_view part : {std::string_view("1"), metrics::to_string(question.called), question.route,
                                      question.rule, question.owner})
    add_part(text, part);
  add_part(text, std::to_string(question.targets.size()));
  for (const std::string& each : question.targets) add_part(text, each);
  add_part(text, std::to_string(question.headers.size()));
  for (const auto& [name, value] : question.headers) add_part(text, name), add_part(text, value);
  add_body(text, *question.body, question.called);
  return sha256(text);
}

digest race_digest(const digest& question, std::span<const proxy::header_field> fields) {
  std::string text(as_text(question));
  for (const auto& [name, value] : fields)
    if (name.starts_with("x-race-")) add_part(text, name), add_part(text, value);
  return sha256(text);
}

void sound_answer::see(const proxy::stream_event& event) {
  for (const proxy::delta& each : event.deltas) {
    if (each.kind == proxy::delta_kind::call || each.kind == proxy::delta_kind::call_arguments) has_other_end_ = true;
    if (each.kind != proxy::delta_kind::finish) continue;
    const bool is_stop = each.reason == proxy::finish_reason::stop && !each.is_foreign;
    (is_stop ? has_stopped_ : has_other_end_) = true;
  }
}

bool sound_answer::is_sound(endpoint called) const {
  return !has_other_end_ && (has_stopped_ || is_computed(called));
}

}  // namespace photofinish::gateway
