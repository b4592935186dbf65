// Names the reasons why a store cannot be used. Each reason has a label for metrics and a text for operators.
#pragma once

#include "gateway/store/store_reply.hpp"
#include "metrics/store_facts.hpp"
#include "proxy/failures/secret.hpp"

#include <cstdint>
#include <string>

namespace photofinish::gateway {

enum class store_error : std::uint8_t {
  connect, tls, timeout, protocol, auth, permission, full, not_ready, scripts, refused
};
using metrics::store_error_words;

struct store_trouble {
  store_error kind = store_error::connect;
  std::string detail = {};  // a text for the log: one line of limited length
};

// Classifies an error reply of the store. The class `refused` concerns one command. All other classes concern the whole
// store. The text for the log leaves out `password`, because a store may repeat the command that it refuses.
store_trouble trouble_in(const store_reply& error, const proxy::secret& password = {});

// Moves the error counts of one connection to the facts that the metrics show.
void move_errors(metrics::store_facts& from, metrics::store_facts& to);

}  // namespace photofinish::gateway
