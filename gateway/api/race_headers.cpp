#include "gateway/api/race_headers.hpp"

#include "gateway/config/rows/choice_words.hpp"
#include "proxy/words/decimal_text.hpp"
#include "proxy/words/parse_number.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>

namespace photofinish::gateway {
namespace {

api_error malformed(std::string_view header, std::string_view expected) {
  return bad_request(std::string(header) + " must be " + std::string(expected), std::string(header));
}

// Limits the length of names and values in response headers, because clients choose some of these names. All headers
// together must fit into 8 KiB, the smallest limit of common clients and proxies.
constexpr std::size_t longest_name_shown = 256;
constexpr std::size_t longest_value = 2048;

// Joins as many entries as fit into a header, and appends the number of entries that do not fit.
std::string joined_entries(const std::vector<std::pair<std::string, std::string>>& entries, std::string_view key) {
  std::string text;
  for (std::size_t at = 0; at < entries.size(); ++at) {
    const auto& [target, what] = entries[at];
    std::string entry = at == 0 ? "" : ", ";
    entry.append(header_safe(target)).append(";").append(key).append("=").append(header_safe(what));
    if (text.size() + entry.size() > longest_value) return text + ", ...;more=" + std::to_string(entries.size() - at);
    text += entry;
  }
  return text;
}

// True if the request has any x-race header. Most requests have no x-race header, so this check saves the searches for
// individual headers. Header names are in lower case.
bool has_race_fields(const client_request& request) {
  return std::any_of(request.fields.begin(), request.fields.end(),
                     [](const proxy::header_field& each) { return each.first.starts_with("x-race-"); });
}

// Returns the name of an x-race header that occurs twice, or an empty name. A proxy and its client may both have set
// the header. Such a request is refused, because the result must not depend on the order of the headers.
std::string_view repeated_race_field(const client_request& request) {
  const auto& fields = request.fields;
  for (auto each = fields.begin(); each != fields.end(); ++each) {
    const auto is_same = [&each](const proxy::header_field& other) { return other.first == each->first; };
    if (each->first.starts_with("x-race-") && std::any_of(std::next(each), fields.end(), is_same)) return each->first;
  }
  return {};
}

}  // namespace

std::string header_safe(std::string_view text) {
  std::string safe(text.substr(0, longest_name_shown));
  for (char& each : safe)
    if (each < 0x20 || each > 0x7e) each = '?';  // bytes above 0x7f are negative numbers if char is signed
  if (safe.size() < text.size()) safe.replace(safe.size() - 3, 3, "...");
  return safe;
}

std::variant<racing::plan_overrides, api_error> read_overrides(const client_request& request) {
  racing::plan_overrides overrides;
  if (!has_race_fields(request)) return overrides;
  if (const std::string_view name = repeated_race_field(request); !name.empty())
    return bad_request(std::string(name) + " occurs twice: send it once", std::string(name));
  if (const auto text = request.field("x-race-policy"); !text.empty()) {
    overrides.policy = proxy::parse_word<racing::race_policy>(text);
    if (!overrides.policy) return malformed("x-race-policy", proxy::one_of(proxy::word_list<racing::race_policy>));
  }
  std::optional<api_error> error;
  const auto number = [&](std::string_view header, std::uint32_t least, std::string_view expected) {
    const std::string_view text = request.field(header);
    const auto count = text.empty() ? std::nullopt : proxy::parse_number<std::uint32_t>(text);
    if (!text.empty() && (!count || *count < least) && !error) error = malformed(header, expected);
    return count;
  };
  if (const auto ms = number("x-race-hedge-delay-ms", 0, "a whole number of milliseconds"))
    overrides.hedge_delay = std::chrono::milliseconds(*ms);
  if (const auto ms = number("x-race-deadline-ms", 1, "a whole number of milliseconds above zero"))
    overrides.deadline = std::chrono::milliseconds(*ms);
  overrides.max_parallel = number("x-race-max-parallel", 1, "a whole number above zero");
  overrides.max_attempts = number("x-race-max-attempts", 1, "a whole number above zero");
  if (error) return *std::move(error);
  return overrides;
}

namespace {

// Reads a header whose value must be one of the configured names. Returns an empty name if the header is absent.
std::variant<std::string, api_error> read_name(const client_request& request, std::string_view header,
                                               const std::vector<std::string>& known, std::string_view list) {
  const std::string_view text = request.field(header);
  if (text.empty() || std::find(known.begin(), known.end(), text) != known.end()) return std::string(text);
  return bad_request(std::string(header) + ": " + in_quotes(text) + " is not among the configured " +
                         std::string(list) + (known.empty() ? "; none are configured" : ""),
                     std::string(header));
}

}  // namespace

namespace {

constexpr std::string_view own_session = "x-race-session";
// The gateway's own session header, and the session headers of current and older versions of Claude Code and Codex.
constexpr std::array session_headers{own_session, std::string_view("x-claude-code-session-id"),
                                     std::string_view("session-id"), std::string_view("session_id")};

// Returns the header that names the request's session, or null. Searches all header names in one pass, because most
// requests have no session header.
const proxy::header_field* find_session(const client_request& request) {
  const proxy::header_field* found = nullptr;
  for (const proxy::header_field& each : request.fields) {
    if (std::find(session_headers.begin(), session_headers.end(), each.first) == session_headers.end()) continue;
    if (each.first == own_session) return &each;
    if (found == nullptr) found = &each;
  }
  return found;
}

bool is_session(std::string_view text) {
  return !text.empty() && text.size() <= longest_session &&
         std::all_of(text.begin(), text.end(), [](char each) { return each > 0x20 && each < 0x7f; });
}

}  // namespace

std::variant<request_marks, api_error> read_marks(const client_request& request, const config& settings) {
  request_marks marks;
  if (const auto* said = find_session(request)) {
    if (is_session(said->second)) marks.session = said->second;
    else if (said->first == own_session)
      return malformed(own_session, "at most " + std::to_string(longest_session) + " visible ASCII characters");
  }
  if (!has_race_fields(request)) return marks;
  auto task = read_name(request, "x-race-task", settings.names.tasks, "tasks");
  if (auto* error = std::get_if<api_error>(&task)) return std::move(*error);
  auto project = read_name(request, "x-race-project", settings.names.projects, "projects");
  if (auto* error = std::get_if<api_error>(&project)) return std::move(*error);
  marks.task = std::get<std::string>(std::move(task)), marks.project = std::get<std::string>(std::move(project));
  if (const auto text = request.field("x-race-class"); !text.empty()) {
    const auto work = proxy::parse_word<request_class>(text);
    if (!work) return malformed("x-race-class", proxy::one_of(proxy::word_list<request_class>));
    marks.work = *work;
  }
  return marks;
}

std::string milliseconds_text(std::chrono::duration<double, std::milli> duration) {
  // Formats the number without printf(), because printf() needs 1,700 instructions for a floating-point number.
  const auto tenths = std::llround(duration.count() * 10);
  std::array<char, 24> text;  // space for the 20 digits of a 64-bit number, and a decimal point
  char* end = text.data();
  if (tenths < 0) *end++ = '-';
  end = std::to_chars(end, text.data() + text.size(), std::abs(tenths) / 10).ptr;
  *end++ = '.';
  *end++ = static_cast<char>('0' + std::abs(tenths) % 10);
  return {text.data(), end};
}

void append_race_fields(header_fields& fields, const race_facts& facts) {
  if (!facts.winner.empty()) {
    const std::string ttft = milliseconds_text(facts.ttft);
    fields.add("x-race-winner", header_safe(facts.winner));
    fields.add("x-race-ttft-ms", ttft);
    fields.add("server-timing", "ttft;dur=" + ttft + ", gateway;dur=" + milliseconds_text(facts.own));
  }
  if (!facts.id.empty()) fields.add("x-race-id", facts.id);
  fields.add("x-race-attempts", std::to_string(facts.attempts));
  if (facts.is_lowered_by_store) fields.add("x-race-policy", "fallback;reason=store");
  if (facts.unlikely_deadline)
    fields.add("x-race-deadline", "unlikely;chance=" + proxy::fixed_text(*facts.unlikely_deadline, 2));
  if (facts.warm_tokens)
    fields.add("x-race-prompt-cache", *facts.warm_tokens > 0 ? "warm;tokens=" + std::to_string(*facts.warm_tokens)
                                                             : std::string("cold"));
  if (!facts.skipped.empty()) fields.add("x-race-skipped", joined_entries(facts.skipped, "reason"));
  if (!facts.dropped.empty()) fields.add("x-race-dropped", joined_entries(facts.dropped, "param"));
}

std::string race_comment(const race_facts& facts) {
  return "race winner=" + header_safe(facts.winner) + " attempts=" + std::to_string(facts.attempts) +
         " ttft_ms=" + milliseconds_text(facts.ttft);
}

}  // namespace photofinish::gateway
