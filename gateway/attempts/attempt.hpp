// One attempt of a race as a real upstream: where racing's plan meets proxy's exchange and dialect.
#pragma once

#include "gateway/api/ask.hpp"
#include "gateway/attempts/setup/race_setup.hpp"
#include "gateway/conversations/target_reasoning.hpp"
#include "proxy/dialects/dialect.hpp"
#include "proxy/failures/redactor.hpp"
#include "proxy/memory/memory_share.hpp"
#include "proxy/outbound.hpp"
#include "proxy/upstream.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

struct made_attempt {
  std::unique_ptr<proxy::upstream> upstream;
  std::vector<std::string> dropped;  // parameters that this provider does not take
  std::size_t reasoning_left_out = 0;  // see prepared_request
  std::uint64_t credential = 0;  // the number of its key, where that expires; 0: it does not, or is not there
};

// How it asks what the client asked.
struct attempt_manner {
  proxy::answer_shape shape = proxy::answer_shape::streamed;  // of an answer that may be streamed
  proxy::reasoning_items reasoning = proxy::reasoning_items::kept;
  bool is_continued = false;  // it goes on with what another target has said
  std::shared_ptr<target_reasoning> known = nullptr;  // null: nothing is known of who made the reasoning
};

// `over` and the provider outlive the attempt. `answer_id`
// names answers whose provider gives no id. `secrets` are kept out of what the provider says of its trouble.
made_attempt make_attempt(proxy::outbound& over, const proxy::dialect& dialect, const ask& asked,
                          const race_candidate& chosen, attempt_manner how,
                          std::span<const std::pair<std::string, std::string>> forwarded, const std::string& answer_id,
                          std::shared_ptr<const proxy::redactor> secrets, proxy::memory_share memory = {});

}  // namespace photofinish::gateway
