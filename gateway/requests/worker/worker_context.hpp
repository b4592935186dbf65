// Holds the objects that one worker lends to its sessions. All objects belong to the worker's thread, except `load` and
// the housekeeper.
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

// The place of a request or a connection in the server's count.
using load_place = proxy::counted_place<std::size_t>;

// The counts over all workers. They change once per request or connection, and when large buffers grow.
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
  proxy::secret id_secret;  // the secret for ids if the configuration contains none; set before the workers start
};

enum class service_state {
  serving,
  leaving,  // after SIGTERM: the gateway is not ready but still serves, and each answer closes its connection
};

class settlement_queue;

// The worker's current snapshots. A request keeps the snapshots that were current at its start.
struct worker_snapshots {
  std::shared_ptr<const config> settings;
  std::shared_ptr<const limit_table> limits;  // the limits that were made from `settings`
  std::shared_ptr<const racing::scoreboard> board;
  // The known speeds of targets; null if no route needs forecasts.
  std::shared_ptr<const racing::forecast_board> speed = nullptr;
};

// The objects to which requests write their records.
struct worker_records {
  settlement_queue& settlements;
  line_budget& lines;    // the limit of log lines about requests that run no race
  line_budget& audited;  // the limit of audit lines about refused callers
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
  std::string& batch;  // a buffer for text under construction, used only between two suspensions
  worker_random random;
  protocols speaks;
  attempt_context attempts;
  run_beside beside;
  price_book& prices;
  step_sender steps;
  std::size_t index;  // the worker's number
  jwt_callers& tokens;
  worker_snapshots snapshots;
  race_sampler sampler = {};  // chooses races for the live page
  service_state state = service_state::serving;
};

inline response_ids ids_of(const worker_context& worker, const config& settings) {
  return response_ids(settings.access.id_secret.empty() ? worker.load.id_secret : settings.access.id_secret);
}

}  // namespace photofinish::gateway
