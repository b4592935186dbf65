// What one finished request leaves behind: an observation for the metrics, samples for the scoreboard, one log
// line. It reads reports and writes numbers; it decides nothing.
#pragma once

#include "gateway/answer_stream.hpp"
#include "gateway/chat_request.hpp"
#include "gateway/counted_tokens.hpp"
#include "gateway/race_headers.hpp"
#include "gateway/services.hpp"
#include "metrics/outcomes.hpp"
#include "racing/planner.hpp"
#include "racing/race_report.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway {

// One target that ran: who it is, and how scoreboards know it.
struct race_runner {
  target_name target;
  racing::runner_id id;
  bool is_callers_key = false;
  proxy::cancel_billing billing = proxy::cancel_billing::unknown;
  std::size_t concurrency = 1;  // attempts of this gateway in flight at the target when it started, itself among them
};

struct request_record {
  std::string id;
  boost::asio::ip::tcp::endpoint peer;
  std::string forwarded_for;  // last_forwarded()
  std::string model;  // as the request names it, cut
  std::string route = "_none";   // metrics' label
  std::string client = "_none";  // likewise
  answer_form form = answer_form::whole;
  std::size_t prompt_bytes = 0;
  std::uint64_t prompt_print = 0;  // of the prompt: tells a repetition
  proxy::instant received_at;
  proxy::instant ended_at;
  int status = 0;
  std::string code;  // of the error that it was answered with
  metrics::request_outcome outcome = metrics::request_outcome::gateway_error;
  std::shared_ptr<const config> settings;  // those it began with: its prices
  std::optional<proxy::instant> decided_by_read_at;  // when the winner's first token that may win was read
  std::optional<proxy::instant> first_written_at;
  std::chrono::nanoseconds client_stalled{0};  // while decoding

  // Of a request that came to a race.
  std::vector<race_runner> runners;  // the plan's targets, in its order
  std::vector<std::pair<target_name, racing::skip_reason>> skipped;
  racing::race_report race;
  std::optional<counted_tokens> counted;  // of the winner
  proxy::maybe_failure broken;  // the winner, after its first token
  std::optional<std::chrono::nanoseconds> winner_cancelled;  // from the client's leaving to our close
};

void account(services& worker, const request_record& record);

}  // namespace photofinish::gateway
