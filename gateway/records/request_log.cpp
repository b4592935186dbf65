#include "gateway/records/request_log.hpp"

#include "gateway/api/race_headers.hpp"
#include "gateway/log/log.hpp"
#include "gateway/log/log_line.hpp"
#include "gateway/records/account_rules.hpp"
#include "gateway/records/request_use.hpp"
#include "metrics/names.hpp"
#include "proxy/json/character_set.hpp"
#include "proxy/words/ascii.hpp"
#include "proxy/words/decimal_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace photofinish::gateway {
namespace {

using field = log_field;

// Returns the finish_reason that a provider reports. Returns nothing if it is not a single word.
std::string finish_word(std::string_view reported) {
  const bool is_word = reported.size() <= 40 && proxy::consists_of_letters(reported, "_-");
  return is_word ? std::string(reported) : "unprintable";
}

using milliseconds = std::chrono::duration<double, std::milli>;

// Returns the guardrails' verdict as a text such as "reject:pii".
std::string verdict_text(const guardrail_note& judged) {
  std::string text(to_string(judged.verdict));
  if (judged.verdict != metrics::guardrail_verdict::pass) text += ":" + judged.by;
  return text;
}

// Formats an amount of dollars, such as "0.00012". The cost of a loser is an estimate.
std::string usd_text(double usd) { return proxy::short_text(usd, 6); }

// Writes an address such as "127.0.0.1:80" into `room`. This avoids a format string, which would take about a thousand
// instructions per request.
std::string_view spell(const boost::asio::ip::address_v4& address, std::uint16_t port, std::span<char, 24> room) {
  char* end = room.data();
  for (const unsigned part : address.to_bytes()) {
    end = std::to_chars(end, end + 3, part).ptr;
    *end++ = '.';
  }
  end[-1] = ':';
  end = std::to_chars(end, end + 5, port).ptr;
  return {room.data(), end};
}

void append_peer(log_line& line, const boost::asio::ip::tcp::endpoint& peer, std::string_view forwarded_for) {
  if (!forwarded_for.empty()) line.text(field::forwarded_for, forwarded_for);
  // If the client had disconnected before the gateway could read its address, the log contains no address.
  if (peer.address().is_unspecified()) return;
  // If the proxy reported no port, the log contains no port.
  if (peer.port() == 0) return line.text(field::peer, peer.address().to_string());
  std::array<char, 24> room;
  if (peer.address().is_v4()) return line.word(field::peer, spell(peer.address().to_v4(), peer.port(), room));
  line.text(field::peer, "[" + peer.address().to_string() + "]:" + std::to_string(peer.port()));
}

void append_team(log_line& line, std::string_view team) {
  if (team != metrics::none_label) line.text(field::team, team);
}

void append_error(log_line& line, std::string_view code, std::string_view limit,
                  const std::optional<metrics::overload_reason>& overload) {
  if (!code.empty()) line.text(field::code, code);
  if (!limit.empty()) line.text(field::limit, limit);
  if (overload) line.word(field::reason, to_string(*overload));
}

std::uint64_t cached_tokens_of(const race_account& record) {
  if (!record.race.winner) return 0;
  const auto& usage = record.race.attempts[*record.race.winner].summary.usage;
  return usage ? usage->cached_input_tokens : 0;
}

// Writes the usage of a request: the tokens of winning attempts, and the cost in dollars of all attempts with a known
// price. The client's metrics contain the same figures.
void append_use(log_line& line, const request_record& record, std::span<const metrics::attempt_observation> attempts) {
  const request_use used = use_of(record, attempts);
  const std::uint64_t input = used.tokens[metrics::token_direction::input];
  if (input > 0) line.number(field::input_tokens, std::to_string(input));
  std::uint64_t cached = cached_tokens_of(record);
  for (const auto& each : record.continuation.races) cached += cached_tokens_of(*each);
  if (cached > 0) line.number(field::cached_tokens, std::to_string(cached));
  const bool is_priced = std::any_of(attempts.begin(), attempts.end(), [](const metrics::attempt_observation& each) {
    return std::holds_alternative<metrics::cost>(each.price);
  });
  if (!is_priced) return;
  line.number(field::usd, usd_text(used.usd[metrics::cost_kind::winner] + used.usd[metrics::cost_kind::loser]));
}

// Writes the token counts of an answer. First comes the gateway's own count, which exists for every provider. The
// provider's count follows.
void append_tokens(log_line& line, const metrics::attempt_observation& seen) {
  using enum metrics::token_source;
  const auto append_speed = [&line](log_field into, const std::optional<metrics::decode_sample>& sample) {
    if (!sample) return;
    const double speed = static_cast<double>(sample->tokens) / sample->duration.count();
    line.number(into, milliseconds_text(milliseconds(speed)));
  };
  append_speed(field::tok_s, seen.speed[tokenizer]);
  if (seen.output[tokenizer]) line.number(field::tokens, std::to_string(*seen.output[tokenizer]));
  append_speed(field::usage_tok_s, seen.speed[usage]);
  if (seen.output[usage]) line.number(field::usage_tokens, std::to_string(*seen.output[usage]));
  if (seen.reasoning_tokens > 0) line.number(field::reasoning_tokens, std::to_string(seen.reasoning_tokens));
  const auto append_time = [&line, &seen](log_field into, metrics::reported_stage stage) {
    if (const auto& took = seen.reported[stage]) line.number(into, milliseconds_text(*took));
  };
  append_time(field::queue_ms, metrics::reported_stage::queue);
  append_time(field::prompt_ms, metrics::reported_stage::prompt);
}

// Returns how long an attempt ran, for the log. For the winner, this includes the whole answer, while the time in the
// race's report ends with the first token.
milliseconds age_of(const racing::attempt_report& attempt, const race_account& record) {
  const bool is_winner = attempt.end == racing::attempt_end::won;
  return (is_winner ? std::max(winner_ended_at(record), attempt.ended_at) : attempt.ended_at) - attempt.started_at;
}

// Returns the parts of the request that repeated attempts left out, such as "stream" or "stream,reasoning". Returns an
// empty text if the attempt was not repeated.
std::string repeated_without(const metrics::attempt_observation& seen) {
  std::string words;
  seen.repeated.for_each([&words](metrics::repeat_reason reason, bool was) {
    if (was) words.append(words.empty() ? "" : ",").append(to_string(reason));
  });
  return words;
}

void append_attempt(log_line& line, const race_account& record, const target_name& target,
                    const racing::attempt_report* attempt, const metrics::attempt_observation& seen) {
  const bool has_reason = seen.reason != metrics::attempt_reason::none;
  line.begin_attempt(target.text(), to_string(seen.outcome), has_reason ? to_string(seen.reason) : "");
  if (seen.ttft) line.number(field::ttft_ms, milliseconds_text(*seen.ttft));
  if (attempt && attempt->summary.is_unstreamed) line.word(field::form, "whole");
  append_tokens(line, seen);
  if (attempt && record.planned[attempt->target].is_usage_cut) line.word(field::usage, "capped");
  if (attempt && !attempt->summary.foreign_finish.empty())
    line.word(field::finish, finish_word(attempt->summary.foreign_finish));
  if (const std::string without = repeated_without(seen); !without.empty()) line.word(field::repeated_without, without);
  if (const auto* cost = std::get_if<metrics::cost>(&seen.price)) line.number(field::usd, usd_text(cost->usd));
  if (attempt) line.number(field::ms, milliseconds_text(age_of(*attempt, record)));
}

// Appends all attempts to a log line, in the order in which observe_attempts() returns them.
void append_attempts(log_line& line, const request_record& record,
                     std::span<const metrics::attempt_observation> attempts) {
  std::size_t place = 0;
  const auto append_race = [&](const race_account& each) {
    for (const racing::attempt_report& attempt : each.race.attempts)
      append_attempt(line, each, each.planned[attempt.target].target, &attempt, attempts[place++]);
  };
  append_race(record);
  for (const left_out_target& each : record.skipped)
    append_attempt(line, record, each.target, nullptr, attempts[place++]);
  for (const auto& each : record.continuation.races) append_race(*each);
  line.end_attempts();
}

// Returns true if a segment of a path may be a key. Providers' keys contain a long run of letters and digits, or are
// UUIDs. The names of endpoints and models contain only short words.
bool may_be_key(std::string_view segment) {
  constexpr std::size_t longest_word = 15, shortest_uuid = 32;
  if (segment.size() >= shortest_uuid && segment.find_first_not_of("0123456789abcdefABCDEF-") == std::string_view::npos)
    return true;
  std::size_t run = 0, digits = 0;
  for (const char each : segment) {
    const bool is_of_run = proxy::is_digit(each) || proxy::is_letter(each);
    run = is_of_run ? run + 1 : 0;
    digits = is_of_run ? digits + (proxy::is_digit(each) ? 1 : 0) : 0;
    if (run > longest_word && digits > 0 && digits < run) return true;
  }
  return false;
}

// Marks the bytes of a path that the log must not contain.
class hidden_parts {
 public:
  explicit hidden_parts(std::string_view path) : path_(path), is_hidden_(path.size(), false) {}

  void hide_what_looks_like_keys() {
    for (std::size_t from = 0; from < path_.size();) {
      const std::size_t end = std::min(path_.find('/', from), path_.size());
      if (may_be_key(path_.substr(from, end - from))) hide(from, end);
      from = end + 1;
    }
  }

  // Hides the gateway's access keys in a path. Looks up the digest of each part of the path in a table of all keys, so
  // the time does not depend on the number of keys. A key may contain a few separators, so the function also looks up a
  // few consecutive parts together.
  void hide_keys(const access_key_list& keys) {
    std::vector<std::size_t> begins{0};
    for (std::size_t at = 0; at < path_.size(); ++at)
      if (separators.find(path_[at]) != std::string_view::npos) begins.push_back(at + 1);
    begins.push_back(path_.size() + 1);
    std::size_t looks = 0;
    for (std::size_t from = 0; from + 1 < begins.size(); ++from)
      for (std::size_t to = from + 1; to < begins.size() && to <= from + most_parts; ++to) {
        if (looks++ == most_looks) return hide(begins[from], path_.size());
        const std::string_view part = path_.substr(begins[from], begins[to] - 1 - begins[from]);
        if (is_key(part, keys)) hide(begins[from], begins[to] - 1);
      }
  }

  std::string shown() const {
    std::string text;
    for (std::size_t at = 0; at < path_.size(); ++at) {
      if (!is_hidden_[at]) text += path_[at];
      else if (at == 0 || !is_hidden_[at - 1]) text += "***";
    }
    return text;
  }

 private:
  static constexpr std::size_t most_parts = 4;
  // The maximum number of parts of one path that are looked up in the table of access keys. The gateway's own paths
  // have fewer parts.
  static constexpr std::size_t most_looks = 256;
  static constexpr std::string_view separators = "/=:;,&?@ ";

  static bool is_key(std::string_view part, const access_key_list& keys) {
    if (part.empty()) return false;
    if (keys.find(digest_of_key(part)) != nullptr) return true;
    return part.find('%') != std::string_view::npos &&
           keys.find(digest_of_key(proxy::percent_decoded(part))) != nullptr;
  }

  void hide(std::size_t from, std::size_t end) {
    std::fill(is_hidden_.begin() + static_cast<std::ptrdiff_t>(from),
              is_hidden_.begin() + static_cast<std::ptrdiff_t>(end), true);
  }

  std::string_view path_;
  std::vector<bool> is_hidden_;
};

}  // namespace

std::string_view last_forwarded(std::span<const proxy::header_field> fields) {
  std::string_view last;
  for (const auto& [name, value] : fields)
    if (proxy::equals_ignoring_case(name, "x-forwarded-for")) last = value;
  return proxy::trim_space(last.substr(last.rfind(',') + 1));
}

std::string loggable_path(std::string_view path, const access_key_list& keys) {
  // Paths are cut to this length before keys are hidden in them. The log later cuts them to a shorter length.
  constexpr std::size_t longest_path = 1024;
  hidden_parts parts(path.substr(0, longest_path));
  parts.hide_what_looks_like_keys();
  if (!keys.empty()) parts.hide_keys(keys);
  return parts.shown();
}

std::string request_line(const request_record& record, std::span<const metrics::attempt_observation> attempts,
                         log_form form) {
  log_line line(form, "request");
  line.text(field::id, record.id);
  append_peer(line, record.peer, record.forwarded_for);
  line.word(field::endpoint, to_string(record.endpoint));
  if (!record.model.empty()) line.text(field::model, record.model);
  line.text(field::route, record.route);
  line.text(field::client, record.caller.name());
  append_team(line, record.caller.team);
  if (!record.caller.project.empty()) line.text(field::project, record.caller.project);
  if (!record.caller.session.empty()) line.text(field::session, record.caller.session);
  line.word(field::outcome, to_string(record.outcome));
  line.number(field::status, std::to_string(record.status));
  append_error(line, record.code, record.limit, record.overload);
  line.word(field::form, record.form != answer_form::whole ? "stream" : "whole");
  line.number(field::duration_ms, milliseconds_text(record.times.ended_at - record.times.received_at));
  if (const auto ttft = ttft_of(record)) line.number(field::ttft_ms, milliseconds_text(*ttft));
  if (record.race.winner) line.text(field::winner, record.planned[*record.race.winner].target.text());
  if (record.terms.cache) line.word(field::cache, to_string(*record.terms.cache));
  if (record.notes.guardrail) line.text(field::guardrail, verdict_text(*record.notes.guardrail));
  append_use(line, record, attempts);
  append_attempts(line, record, attempts);
  return std::move(line).take();
}

std::string plain_line(const plain_request& request, log_form form) {
  log_line line(form, "request");
  if (!request.id.empty()) line.text(field::id, request.id);
  append_peer(line, request.peer, request.forwarded_for);
  line.word(field::endpoint, to_string(request.endpoint));
  if (!request.method.empty()) line.text(field::method, request.method);
  if (!request.path.empty()) line.text(field::path, request.path);
  if (!request.model.empty()) line.text(field::model, request.model);
  line.text(field::client, request.client);
  append_team(line, request.team);
  line.word(field::outcome, to_string(request.outcome));
  line.number(field::status, std::to_string(request.status));
  append_error(line, request.code, request.limit, request.overload);
  return std::move(line).take();
}

void log_request(line_budget& lines, const request_record& record,
                 std::span<const metrics::attempt_observation> attempts) {
  if (!logs_requests()) return;
  const bool has_raced = !record.race.attempts.empty();
  if (has_raced || lines.take()) log_event(request_line(record, attempts, log_form_in_use()));
}

void log_request(line_budget& lines, const plain_request& request) {
  if (logs_requests() && lines.take()) log_event(plain_line(request, log_form_in_use()));
}

}  // namespace photofinish::gateway
