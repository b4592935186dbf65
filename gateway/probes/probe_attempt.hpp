// One attempt that no client waits for, run to its end: what probes and `photofinish doctor` are made of. It is made as
// the attempts of races are.
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
  race_candidate chosen;  // its provider outlives the attempt
  std::string id;         // of an answer whose provider gives none
  std::chrono::milliseconds patience{60'000};  // for the whole answer
  std::function<void(proxy::instant)> on_first_token = {};  // called once, when it has been read
};

struct probe_attempt_answer {
  proxy::maybe_failure why;  // none: it came to its end
  proxy::stream_summary summary;
  std::optional<counted_tokens> counted;  // none where it could not be counted, or did not come to its end
  bool has_refused_stream = false;        // it was then asked for in one piece
  bool is_late = false;                   // patience ran out
  proxy::instant started_at{}, ended_at{};
};

// An answer of more text than this is not what was asked for, and is cut.
inline constexpr std::size_t most_probe_text = 1u << 20;

class probe_attempt {
 public:
  // `over` and what the builder borrows outlive the attempt.
  probe_attempt(proxy::outbound& over, race_builder builder, probe_attempt_request wanted);
  probe_attempt(const probe_attempt&) = delete;
  probe_attempt& operator=(const probe_attempt&) = delete;
  ~probe_attempt();

  boost::asio::awaitable<probe_attempt_answer> run();  // once
  void cancel() noexcept;                              // run() then ends soon, by failure_kind::cancelled

 private:
  std::unique_ptr<proxy::upstream> make(proxy::answer_shape shape);
  boost::asio::awaitable<void> read_all();
  void note_first_token();
  void end();

  proxy::outbound& over_;
  const race_builder builder_;
  const probe_attempt_request wanted_;
  probe_attempt_answer answer_;
  std::unique_ptr<proxy::upstream> call_;  // from run() on
  answer_tokens tokens_;
  bool has_spoken_ = false;
  bool is_cancelled_ = false;
  proxy::alarm limit_;
};

// A chat request of one message, streamed, of at most so many tokens of answer.
std::variant<parsed_request, std::string> make_probe_request(proxy::outbound& over, const target_name& target,
                                                             std::string_view prompt, std::size_t max_output);

// That target on the operator's own key; none where there is no such provider.
std::optional<race_candidate> find_probe_candidate(const config& settings, const target_name& target);

}  // namespace photofinish::gateway
