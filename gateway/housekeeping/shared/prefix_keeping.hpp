// The prefixes that a process knows, on the housekeeper's thread. They are read from a file at the start, written to it
// at the end, and shared with other gateways through a store once per tick. No request waits for it. It has its own
// connection, so that a store user without these rights loses no other function.
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
    std::string state_dir;  // empty: prefixes are not stored on disk
    std::chrono::milliseconds tick{1'000};
  };

  // Reads the file. A file that cannot be used is set aside with a warning. `memory` and `facts` outlive this object.
  prefix_keeping(boost::asio::io_context& loop, surroundings how, prefix_memory& memory, metrics::store_facts& facts);

  // `net` outlives this object; null: no store.
  void use(store_network* net, const store_settings& settings);

  // Leaves the store, writes the file and waits for it. Nothing is shared after this. Call it before the destructor.
  boost::asio::awaitable<void> stop();

 private:
  boost::asio::awaitable<proxy::instant> run_round();
  boost::asio::awaitable<void> share();
  bool is_refused(const store_link::replies& said);
  void load();

  const surroundings how_;
  prefix_memory& memory_;
  metrics::store_facts& shown_facts_;
  metrics::store_facts facts_;  // the errors of its own connection
  std::optional<stats_file> file_;
  std::string prefix_;  // prefix of names in the store
  std::optional<prefix_sharing> sharing_;
  std::shared_ptr<store_client> client_;  // shared with the running call; null: no store, or its user lacks the right
  repeated_work rounds_;
};

}  // namespace photofinish::gateway
