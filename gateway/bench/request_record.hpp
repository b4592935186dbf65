// Holds the observations of one request of the bench, from its due time to its last byte, as plain values. [pure]
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
  std::uint64_t number = 0;  // the index of the request among all requests of the run, from 0
  run_phase phase = run_phase::profiling;
  std::size_t round = 0;  // the round in which the request was sent, if the run is a comparison
  // The time from which latencies are measured. In an open loop, this is the due time of the request, even if the
  // request started later.
  proxy::instant due_at;
  proxy::instant started_at;  // the time just before name look-up, connect and TLS
  // The time at which the request ended: the last token of a stream, the end of an answer that is not streamed, or the
  // failure.
  proxy::instant ended_at;

  // The answer's times; first_token_at is the time of the first token, which may be reasoning.
  proxy::stream_summary seen;
  std::optional<proxy::instant> second_chunk_at;
  std::optional<proxy::instant> first_visible_at;  // the time of the first token that is not reasoning
  std::vector<proxy::instant> chunks_at;           // the time when each event with a token was read
  std::vector<std::uint32_t> chunk_bytes;          // the number of text bytes of each event with a token
  // The number of tokens that the bench's tokenizer counted; none if the endpoint reported the usage.
  std::optional<std::uint64_t> counted_tokens;

  int status = 0;           // the HTTP status of the response, or 0 if there was no response
  std::string request_id;   // the header x-request-id of the endpoint's response
  std::string winner;       // the target in the header x-race-winner; empty unless the endpoint is photofinish
  std::size_t attempts = 0;  // the number in the header x-race-attempts
  std::optional<proxy::failure> error;  // the error; its kind is `cancelled` if the bench stopped the request itself

  bool was_cancelled() const { return error && error->kind == proxy::failure_kind::cancelled; }
};

}  // namespace photofinish::gateway::bench
