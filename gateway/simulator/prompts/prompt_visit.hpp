// Uses a prompt cache for one request. When the request arrives, looks up its prompt. When the answer's first token is
// sent, stores the prompt. [pure]
#pragma once

#include "gateway/simulator/prompts/prompt_cache.hpp"

#include <utility>
#include <vector>

namespace photofinish::gateway::simulator {

class prompt_visit {
 public:
  // `cache` must outlive this object.
  prompt_visit(prompt_cache& cache, sim_prompt_cache cache_settings, std::vector<prompt_boundary> prompt,
               const cache_chances& chances, microseconds started_at)
      : cache_(cache),
        settings_(std::move(cache_settings)),
        prompt_(std::move(prompt)),
        chances_(chances),
        started_at_(started_at),
        found_(cache_.find(settings_, prompt_, chances_, started_at_)) {}

  const cached_tokens& found() const { return found_; }
  void keep() { cache_.keep(settings_, prompt_, found_, chances_, started_at_); }

 private:
  prompt_cache& cache_;
  sim_prompt_cache settings_;
  std::vector<prompt_boundary> prompt_;
  cache_chances chances_;
  microseconds started_at_;
  cached_tokens found_;
};

}  // namespace photofinish::gateway::simulator
