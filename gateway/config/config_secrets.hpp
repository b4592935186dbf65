// Every secret of a configuration, and what takes them out of a provider's words. [pure]
#pragma once

#include "gateway/config/config.hpp"
#include "proxy/failures/redactor.hpp"

#include <memory>
#include <vector>

namespace photofinish::gateway {

// The keys, the configured headers, the access keys, the webhook and tracing's headers: sent back to us by a provider,
// none of them is to be shown. A preset's own headers are public.
std::vector<proxy::secret> secrets_of(const config& settings);

// One worker's: it makes the redactor of a configuration once.
class redactor_book {
 public:
  // Shared, because an attempt of a request that runs outlives a reload.
  std::shared_ptr<const proxy::redactor> of(const std::shared_ptr<const config>& settings);

 private:
  std::shared_ptr<const config> settings_;  // whose secrets `made_` knows
  std::shared_ptr<const proxy::redactor> made_;
};

}  // namespace photofinish::gateway
