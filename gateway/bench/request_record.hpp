// Holds the observations of one request of the bench, from its due time to its last byte. Plain values. [pure]
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
  std::uint64_t number = 0;  // the index among all requests of the run, from 0
  run_phase phase = run_phase::profiling;
  std::size_t round = 0;  // the round of a comparison
  // Latencies are measured from this time. In an open loop it is the due time, even if the request started later.
  proxy::instant due_at;
  proxy::instant started_at;  // the time before DNS, connect and TLS
  proxy::instant ended_at;    // the time of a stream's last token, of the end of a whole answer, or of the failure

  proxy::stream_summary seen;  // the answer's times; first_token_at is the time of the first content or reasoning
  std::optional<proxy::instant> second_chunk_at;
  std::optional<proxy::instant> first_visible_at;  // the time of the first token that is not reasoning
  std::vector<proxy::instant> chunks_at;           // the read time of each event with a token
  std::vector<std::uint32_t> chunk_bytes;          // the number of text bytes of each event with a token
  // Tokens that the bench's tokenizer counted; none if the endpoint reported the usage.
  std::optional<std::uint64_t> counted_tokens;

  int status = 0;           // the HTTP status, or 0 if there was no response
  std::string request_id;   // the endpoint's x-request-id header
  std::string winner;       // the target in x-race-winner; empty unless the endpoint is photofinish
  std::size_t attempts = 0;  // the number in x-race-attempts
  std::optional<proxy::failure> error;  // the error; `cancelled` if the bench stopped the request itself

  bool was_cancelled() const { return error && error->kind == proxy::failure_kind::cancelled; }
};

}  // namespace photofinish::gateway::bench
