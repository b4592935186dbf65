// Holds the objects of one worker that its sessions use. All objects belong to the worker's thread, except `load` and
// `keeper`.
#pragma once

#include "gateway/access/jwt/jwt_callers.hpp"
#include "gateway/access/response_ids.hpp"
#include "gateway/attempts/attempt_context.hpp"
#include "gateway/attempts/flight_counts.hpp"
#include "gateway/attempts/race_sampler.hpp"
#include "gateway/cache/answer_cache.hpp"
#include "gateway/config/config.hpp"
#include "gateway/conversations/conversation_memory.hpp"
#include "gateway/housekeeping/housekeeper.hpp"
#include "gateway/housekeeping/step_sender.hpp"
#include "gateway/limits/background_uses.hpp"
#include "gateway/limits/limit_table.hpp"
#include "gateway/log/line_budget.hpp"
#include "gateway/prefixes/prefix_memory.hpp"
#include "gateway/process/random_bits.hpp"
#include "gateway/records/price_book.hpp"
#include "gateway/relay/relay.hpp"
#include "gateway/requests/worker/protocols.hpp"
#include "metrics/shard.hpp"
#include "proxy/loop/alarms.hpp"
#include "proxy/memory/counted_place.hpp"
#include "proxy/memory/memory_budget.hpp"
#include "proxy/outbound.hpp"
#include "racing/adaptive/forecast_board.hpp"
#include "racing/scoreboard.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>

namespace photofinish::gateway {

// Counts one request or one connection of the server until the object is destroyed.
using load_place = proxy::counted_place<std::size_t>;

// The counts of requests, connections and memory over all workers. They change once per request or connection, and when
// large buffers grow.
struct server_load {
  server_load(std::size_t max_memory, std::size_t max_prefixes, std::uint64_t salt, const proxy::hash_key& prefix_key)
      : memory(max_memory, salt),
        conversations(memory, salt),
        prefixes(max_prefixes, prefix_key),
        answers(memory) {}

  std::atomic<std::size_t> requests = 0;
  std::atomic<std::size_t> connections = 0;
  metrics::by<metrics::refused_connection, std::atomic<std::uint64_t>> refused_connections{};
  std::size_t workers = 1;  // the number of workers, set before the workers start
  flight_counts flights;
  rate_rooms rooms;
  proxy::memory_budget memory;
  conversation_memory conversations;
  prefix_memory prefixes;
  answer_cache answers;
  limit_book limits;
  background_uses background;
  // The secret that signs ids. If the configuration contains no secret, the gateway creates one. The secret is set
  // before the workers start.
  proxy::secret id_secret;
};

enum class service_state {
  serving,
  // SIGTERM has arrived. The gateway reports that it is not ready, but still answers requests, and closes each
  // connection after the answer.
  leaving,
};

class settlement_queue;

// The worker's current snapshots of shared data. A request keeps the snapshots that were current at its start.
struct worker_snapshots {
  std::shared_ptr<const config> settings;
  std::shared_ptr<const limit_table> limits;  // the limits from the configuration `settings`
  std::shared_ptr<const racing::scoreboard> board;
  // The measured speeds of targets; null if no route needs forecasts.
  std::shared_ptr<const racing::forecast_board> speed = nullptr;
};

// The objects to which the records of requests are written.
struct worker_records {
  settlement_queue& settlements;
  line_budget& lines;    // limits the number of log lines about requests that run no race
  line_budget& audited;  // limits the number of audit lines about refused callers
};

struct worker_random {
  std::mt19937_64& engine;
  std::uint64_t fingerprint_salt;
  random_bits unguessable = {};
};

struct worker_context {
  boost::asio::any_io_executor executor;
  proxy::outbound& outbound;
  proxy::alarms& alarms;
  metrics::shard& shard;
  housekeeper& keeper;
  server_load& load;
  worker_records records;
  std::string& batch;  // a buffer for building text, used only between two suspensions of a coroutine
  worker_random random;
  protocols speaks;
  attempt_context attempts;
  run_beside beside;
  price_book& prices;
  step_sender steps;
  std::size_t index;  // the number of the worker, counted from 0
  jwt_callers& tokens;
  worker_snapshots snapshots;
  race_sampler sampler = {};  // chooses races for the live page
  service_state state = service_state::serving;
};

inline response_ids ids_of(const worker_context& worker, const config& settings) {
  return response_ids(settings.access.id_secret.empty() ? worker.load.id_secret : settings.access.id_secret);
}

}  // namespace photofinish::gateway
