// Lets commands use the shared store. A command sends one request after another, and each call waits for the store's
// reply.
#pragma once

#include "gateway/store/store_client.hpp"
#include "gateway/store/store_network.hpp"

#include <boost/asio/io_context.hpp>

#include <iosfwd>
#include <optional>
#include <string>

namespace photofinish::gateway {

// Prints an error line, and returns the given exit code.
int complain_to(std::ostream& err, const std::string& what, int exit_code = 1);

class asked_store {
 public:
  // `settings.url` must be valid. `err` must outlive this object.
  asked_store(const store_settings& settings, std::ostream& err)
      : net_(loop_), client_(net_, settings, facts_), err_(err) {}
  asked_store(const asked_store&) = delete;
  asked_store& operator=(const asked_store&) = delete;
  ~asked_store();

  // Sends a command to the store and returns the reply. If the store cannot be reached or returns an error, prints the
  // problem and returns nothing.
  std::optional<store_reply> ask(store_command command);

 private:
  boost::asio::io_context loop_{1};
  metrics::store_facts facts_;
  store_network net_;
  store_client client_;
  std::ostream& err_;
};

}  // namespace photofinish::gateway
