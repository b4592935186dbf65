// Holds the objects that one worker uses to make attempts. Only the worker's thread may use them.
#pragma once

#include "gateway/config/config_secrets.hpp"
#include "gateway/attempts/flight_counts.hpp"
#include "gateway/attempts/race_builder.hpp"
#include "gateway/attempts/rate_room.hpp"
#include "gateway/attempts/unstreamed_targets.hpp"
#include "gateway/credentials/credential_board.hpp"
#include "metrics/shard.hpp"
#include "proxy/find_dialect.hpp"
#include "proxy/outbound.hpp"

#include <memory>
#include <span>

namespace photofinish::gateway {

struct attempt_context {
  proxy::outbound& outbound;
  metrics::shard& shard;
  redactor_book& redactors;
  std::span<const proxy::named_dialect> dialects;
  worker_flights flights;
  credential_view& credentials;
  worker_rooms rooms;
  unstreamed_targets unstreamed = {};

  // Returns a builder for the worker's races. The builder removes the secrets in `settings` from the error texts of
  // providers.
  race_builder builder(const std::shared_ptr<const config>& settings) {
    return {outbound, credentials, redactors.of(settings), dialects};
  }
};

}  // namespace photofinish::gateway
