// The prompt prefixes that a process knows, on the housekeeper's thread. This class reads the prefixes from a file at
// the start and writes them to the file at the end. Once per tick it shares them with other gateways through a store.
// No request waits for this. The class has its own connection. If the store's user lacks the rights for prefixes, no
// other function stops working.
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
    std::string run;        // this run's name in the store
    std::string state_dir;  // folder for prefixes; if empty, they are not stored on disk
    std::chrono::milliseconds tick{1'000};
  };

  // Reads the file. If the file cannot be used, it is set aside with a warning. `memory` and `facts`
  // outlive this object.
  prefix_keeping(boost::asio::io_context& loop, surroundings how, prefix_memory& memory, metrics::store_facts& facts);

  // `net` outlives this object; null means that there is no store.
  void use(store_network* net, const store_settings& settings);

  // Leaves the store, writes the file and waits until it is written. Nothing is shared after stop(). Call stop() before
  // the destructor.
  boost::asio::awaitable<void> stop();

 private:
  boost::asio::awaitable<proxy::instant> run_round();
  boost::asio::awaitable<void> share();
  bool is_refused(const store_link::replies& said);
  void load();

  const surroundings how_;
  prefix_memory& memory_;
  metrics::store_facts& shown_facts_;
  metrics::store_facts facts_;  // the errors of this object's connection to the store
  std::optional<stats_file> file_;
  std::string prefix_;  // the prefix of this gateway's key names in the store
  std::optional<prefix_sharing> sharing_;
  // The store's client, shared with the running call; null if there is no store, or if its user may not share prefixes.
  std::shared_ptr<store_client> client_;
  repeated_work rounds_;
};

}  // namespace photofinish::gateway
