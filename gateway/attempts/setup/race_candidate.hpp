// A target that may take part in a race. [pure]
#pragma once

#include "gateway/access/keys.hpp"
#include "gateway/config/config.hpp"
#include "proxy/providers/provider.hpp"
#include "racing/scoreboard.hpp"

namespace photofinish::gateway {

struct race_candidate {
  const proxy::provider* provider;  // the provider, which lives as long as the request's configuration
  target_name target;
  chosen_key key;
  racing::candidate_id id;
};

}  // namespace photofinish::gateway
