// Runs a single attempt to its end without a client, for probes and `photofinish doctor`. The attempt is made in the
// same way as the attempts of races.
#pragma once

#include "gateway/api/parsed_request.hpp"
#include "gateway/attempts/race_builder.hpp"
#include "gateway/attempts/setup/race_candidate.hpp"
#include "gateway/records/counted_tokens.hpp"
#include "gateway/relay/answer_tokens.hpp"
#include "proxy/dialects/dialect.hpp"
#include "proxy/dialects/stream_event.hpp"
#include "proxy/failures/result.hpp"
#include "proxy/loop/alarms.hpp"
#include "proxy/outbound.hpp"
#include "proxy/upstream.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace photofinish::gateway {

struct probe_attempt_request {
  parsed_request asked;
  race_candidate chosen;  // the target; its provider must outlive the attempt
  std::string id;         // the id of the answer if the provider sends none
  std::chrono::milliseconds patience{60'000};  // the time limit for the complete answer
  std::function<void(proxy::instant)> on_first_token = {};  // called once, when the first token arrives
};

struct probe_attempt_answer {
  proxy::maybe_failure why;  // the reason for the failure; empty if the attempt succeeded
  proxy::stream_summary summary;
  std::optional<counted_tokens> counted;  // the answer's token counts; empty if the answer was cut off or its tokens
                                          // could not be counted
  // True if the provider refused to stream. The answer was then requested without streaming.
  bool has_refused_stream = false;
  bool is_late = false;                   // true if the attempt reached the time limit
  proxy::instant started_at{}, ended_at{};
};

// The maximum size of a probe's answer in bytes. A longer answer is cut off, because the rest would not improve the
// measurement.
inline constexpr std::size_t most_probe_text = 1u << 20;

class probe_attempt {
 public:
  // `over` must outlive the attempt, and so must all objects to which the builder refers.
  probe_attempt(proxy::outbound& over, race_builder builder, probe_attempt_request wanted);
  probe_attempt(const probe_attempt&) = delete;
  probe_attempt& operator=(const probe_attempt&) = delete;
  ~probe_attempt();

  boost::asio::awaitable<probe_attempt_answer> run();  // runs the attempt; call it only once
  void cancel() noexcept;                              // makes run() end with failure_kind::cancelled

 private:
  std::unique_ptr<proxy::upstream> make(proxy::answer_shape shape);
  boost::asio::awaitable<void> read_all();
  void note_first_token();
  void end();

  proxy::outbound& over_;
  const race_builder builder_;
  const probe_attempt_request wanted_;
  probe_attempt_answer answer_;
  std::unique_ptr<proxy::upstream> call_;  // the call to the provider, set by run()
  answer_tokens tokens_;
  bool has_spoken_ = false;
  bool is_cancelled_ = false;
  proxy::alarm limit_;
};

// Makes a streaming chat request with one message. The answer may have at most `max_output` tokens.
std::variant<parsed_request, std::string> make_probe_request(proxy::outbound& over, const target_name& target,
                                                             std::string_view prompt, std::size_t max_output);

// Returns the target with the operator's own key. Returns nothing if the provider does not exist.
std::optional<race_candidate> find_probe_candidate(const config& settings, const target_name& target);

}  // namespace photofinish::gateway
