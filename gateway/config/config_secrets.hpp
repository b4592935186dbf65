// Collects every secret of a configuration, and removes them from providers' texts. [pure]
#pragma once

#include "gateway/config/config.hpp"
#include "proxy/failures/redactor.hpp"

#include <memory>
#include <vector>

namespace photofinish::gateway {

// The keys, the configured headers, the access keys, the webhook and tracing's headers. They must not be shown if a
// provider sends them back. A preset's own headers are public.
std::vector<proxy::secret> secrets_of(const config& settings);

// Belongs to one worker. It makes the redactor of a configuration only once.
class redactor_book {
 public:
  // Shared, because an attempt of a running request outlives a reload.
  std::shared_ptr<const proxy::redactor> of(const std::shared_ptr<const config>& settings);

 private:
  std::shared_ptr<const config> settings_;  // the configuration whose secrets `made_` removes
  std::shared_ptr<const proxy::redactor> made_;
};

}  // namespace photofinish::gateway
