// Collects every secret of a configuration, and removes secrets from the texts of providers. [pure]
#pragma once

#include "gateway/config/config.hpp"
#include "proxy/failures/redactor.hpp"

#include <memory>
#include <vector>

namespace photofinish::gateway {

// Returns provider keys, configured headers, access keys, the webhook and the headers of tracing. If a provider sends
// them back, they must not be shown. The headers that a preset defines are public.
std::vector<proxy::secret> secrets_of(const config& settings);

// Makes the redactor of a configuration only once. Each worker has its own object.
class redactor_book {
 public:
  // Returns the redactor of a configuration. It is shared, because an attempt of a running request outlives a reload.
  std::shared_ptr<const proxy::redactor> of(const std::shared_ptr<const config>& settings);

 private:
  std::shared_ptr<const config> settings_;  // the configuration whose secrets `made_` removes from texts
  std::shared_ptr<const proxy::redactor> made_;
};

}  // namespace photofinish::gateway
