// What the attempts of one race are made of, until it is decided: the request, its keys, the plan.
#pragma once

#include "gateway/access/keys.hpp"
#include "gateway/api/ask.hpp"
#include "gateway/http/client_request.hpp"
#include "gateway/records/request_record.hpp"
#include "gateway/requests/attempt.hpp"
#include "gateway/requests/attempt_means.hpp"
#include "gateway/requests/counted_upstream.hpp"
#include "gateway/requests/race_setup.hpp"
#include "proxy/memory/memory_share.hpp"
#include "proxy/upstream.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

// Whether the provider may have one more attempt running, as far as can be known before it starts.
bool has_room(attempt_means& by, const proxy::provider& provider);

// Shared by name alone: an attempt that is refused its stream is made again from here, unless the race is decided, and
// all of it gone.
struct race_attempts : std::enable_shared_from_this<race_attempts> {
  client_request request;
  std::string path_model;  // that the path names; empty: the body does
  presented_keys keys;
  ask asked;
  race_setup setup;
  proxy::memory_share forms;   // what the request takes in other formats than the client's
  proxy::memory_share memory;  // an empty one, for attempts to have their own of

  struct made {
    std::unique_ptr<proxy::upstream> upstream;
    std::vector<std::pair<std::string, std::string>> dropped;  // target, parameter
  };
  // The attempt with that index, counted until it goes; refused where its provider is full. Notes in `record` how
  // many run beside it. `settings` are the request's own; `by` and `record` outlive the attempt.
  made make(std::size_t index, attempt_means& by, const std::shared_ptr<const config>& settings,
            request_record& record) const;

 private:
  made_attempt build(std::size_t index, attempt_means& by, const std::shared_ptr<const config>& settings,
                     const request_record& record, proxy::answer_shape shape) const;
  counted_upstream::made_again in_one_piece(std::size_t index, attempt_means& by,
                                            const std::shared_ptr<const config>& settings,
                                            const request_record& record) const;
  std::vector<std::pair<std::string, std::string>> forwarded_to(const proxy::provider& provider) const;
};

}  // namespace photofinish::gateway
