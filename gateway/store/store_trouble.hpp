// Names the reasons why the store cannot be used. Each reason has a label for metrics and a text for operators.
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
  std::string detail = {};  // a text for the log; one line of limited length
};

// Classifies an error reply of the store. Errors of the class `refused` concern one command. All other errors concern
// the whole store. The store may repeat the refused command in its error. Therefore `password` is removed from the text
// for the log.
store_trouble trouble_in(const store_reply& error, const proxy::secret& password = {});

// Moves the error counts of one connection to the counts that the metrics show.
void move_errors(metrics::store_facts& from, metrics::store_facts& to);

}  // namespace photofinish::gateway
