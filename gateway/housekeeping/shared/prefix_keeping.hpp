// Stores and shares the prompt prefixes that the gateway remembers, on the housekeeper's thread. This class reads them
// from a file at the start, and writes them to the file at the end. Once per tick, it shares them with other gateways
// through a store. No request waits for these tasks. The class has its own connection. If the store's user lacks the
// rights for prefixes, all other functions keep working.
#pragma once

#include "gateway/housekeeping/stores/stats_file.hpp"
#include "gateway/prefixes/prefix_memory.hpp"
#include "gateway/prefixes/prefix_sharing.hpp"
#include "gateway/store/store_client.hpp"
#include "gateway/threads/repeated_work.hpp"
#include "metrics/store_facts.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace photofinish::gateway {

class prefix_keeping {
 public:
  struct surroundings {
    std::string run;        // the unique name of this process in the store
    std::string state_dir;  // the folder for the file of prefixes; if empty, prefixes are not stored on disk
    std::chrono::milliseconds tick{1'000};
  };

  // Reads the file. If the file cannot be used, it is renamed and a warning is logged. `memory` and `facts` must
  // outlive this object.
  prefix_keeping(boost::asio::io_context& loop, surroundings how, prefix_memory& memory, metrics::store_facts& facts);

  // Sets the store. `net` must outlive this object; null means that there is no store.
  void use(store_network* net, const store_settings& settings);

  // Stops sharing, writes the file and waits until it is written. Call stop() before destroying the object.
  boost::asio::awaitable<void> stop();

 private:
  boost::asio::awaitable<proxy::instant> run_round();
  boost::asio::awaitable<void> share();
  bool is_refused(const store_link::replies& said);
  void load();

  const surroundings how_;
  prefix_memory& memory_;
  metrics::store_facts& shown_facts_;
  metrics::store_facts facts_;  // counts the errors of this object's connection to the store
  std::optional<stats_file> file_;
  std::string prefix_;  // the prefix of this gateway's keys in the store
  std::optional<prefix_sharing> sharing_;
  // The client for commands to the store, shared with the running call. Null if there is no store, or if the store's
  // user may not share prefixes.
  std::shared_ptr<store_client> client_;
  repeated_work rounds_;
};

}  // namespace photofinish::gateway
