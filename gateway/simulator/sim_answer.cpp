#include "gateway/simulator/sim_answer.hpp"

namespace photofinish::gateway::simulator {

prompt_usage sim_answer::prompt_at(answer_part part, cache_report usual) const {
  const sim_cache_usage& cache = request_.cache;
  const cache_report reported = cache.reported == cache_report::usual ? usual : cache.reported;
  const bool is_reported = part == answer_part::end ? reported != cache_report::never : reported == cache_report::early;
  if (!cache.is_on || !is_reported) return {.uncached = request_.prompt_tokens};
  return {.has_cache = true,
          .uncached = request_.prompt_tokens - cache.read - cache.written,
          .read = cache.read,
          .written = cache.written,
          .written_1h = cache.written_1h};
}

}  // namespace photofinish::gateway::simulator
