// Why a store was of no use: the metric's words, and what an operator reads.
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
  std::string detail = {};  // one line, bounded, for the log
};

// What an error reply means. `refused` is about one command; all others are about the store as a whole. Its text is
// shown without `password`: a store may repeat the command that it refuses.
store_trouble trouble_in(const store_reply& error, const proxy::secret& password = {});

// Adds the errors of one connection to those that are shown.
void move_errors(metrics::store_facts& from, metrics::store_facts& to);

}  // namespace photofinish::gateway
