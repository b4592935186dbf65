// What the attempts of one race are made of, until it is decided: the request, its keys, the plan.
#pragma once

#include "gateway/access/keys.hpp"
#include "gateway/api/ask.hpp"
#include "gateway/http/client_request.hpp"
#include "gateway/records/request_record.hpp"
#include "gateway/requests/attempt_means.hpp"
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

struct race_attempts {
  client_request request;
  std::string path_model;  // that the path names; empty: the body does
  presented_keys keys;
  ask asked;
  race_setup setup;
  proxy::memory_share forms;  // what the request takes in other formats than the client's

  struct made {
    std::unique_ptr<proxy::upstream> upstream;
    std::vector<std::pair<std::string, std::string>> dropped;  // target, parameter
  };
  // The attempt with that index, counted until it goes; refused where its provider is full. Notes in `record` how
  // many run beside it. `settings` are the request's own.
  made make(std::size_t index, attempt_means& by, const std::shared_ptr<const config>& settings,
            request_record& record, proxy::memory_share memory) const;

 private:
  std::vector<std::pair<std::string, std::string>> forwarded_to(const proxy::provider& provider) const;
};

}  // namespace photofinish::gateway
