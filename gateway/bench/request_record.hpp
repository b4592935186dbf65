// What was seen of one request of the bench, from its schedule to its last byte. Plain values. [pure]
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
  std::uint64_t number = 0;  // among all of the run, from 0
  run_phase phase = run_phase::profiling;
  std::size_t round = 0;  // of a comparison
  // Latencies count from here: in an open loop the time it was due, however late it started.
  proxy::instant due_at;
  proxy::instant started_at;  // before DNS, connect and TLS
  proxy::instant ended_at;    // the last token of a stream, the end of a whole answer, or the failure

  proxy::stream_summary seen;  // first_token_at: content or reasoning
  std::optional<proxy::instant> second_chunk_at;
  std::optional<proxy::instant> first_visible_at;  // no reasoning
  std::vector<proxy::instant> chunks_at;           // every event that brought a token, as its bytes were read
  std::vector<std::uint32_t> chunk_bytes;          // of each one's text
  std::optional<std::uint64_t> counted_tokens;     // by our own tokenizer, where the endpoint reported no usage

  int status = 0;           // 0: no response came
  std::string request_id;   // the endpoint's x-request-id
  std::string winner;       // x-race-winner: the endpoint is photofinish
  std::size_t attempts = 0;  // x-race-attempts
  std::optional<proxy::failure> error;  // `cancelled`: we stopped it ourselves

  bool was_cancelled() const { return error && error->kind == proxy::failure_kind::cancelled; }
};

}  // namespace photofinish::gateway::bench
