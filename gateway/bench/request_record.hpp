// The observations of one request of the bench, from its due time to its last byte. Plain values. [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/failures/failure.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway::bench {

enum class run_phase { warmup, profiling };

struct request_record {
  std::uint64_t number = 0;  // index among all requests of the run, from 0
  run_phase phase = run_phase::profiling;
  std::size_t round = 0;  // the round of a comparison
  // Latencies count from this time. In an open loop it is the due time, even if the request started later.
  proxy::instant due_at;
  proxy::instant started_at;  // the time before DNS, connect and TLS
  proxy::instant ended_at;    // time of a stream's last token, of the end of a whole answer, or of the failure

  proxy::stream_summary seen;  // its first_token_at counts content and reasoning
  std::optional<proxy::instant> second_chunk_at;
  std::optional<proxy::instant> first_visible_at;  // the time of the first token that is not reasoning
  std::vector<proxy::instant> chunks_at;           // the read time of each event with a token
  std::vector<std::uint32_t> chunk_bytes;          // text bytes of each such event
  std::optional<std::uint64_t> counted_tokens;     // counted by the bench's tokenizer if the endpoint reported no usage

  int status = 0;           // the HTTP status; 0: there was no response
  std::string request_id;   // the endpoint's x-request-id header
  std::string winner;       // from x-race-winner: set if the endpoint is photofinish
  std::size_t attempts = 0;  // the number in x-race-attempts
  std::optional<proxy::failure> error;  // `cancelled`: the bench stopped the request itself

  bool was_cancelled() const { return error && error->kind == proxy::failure_kind::cancelled; }
};

}  // namespace photofinish::gateway::bench
