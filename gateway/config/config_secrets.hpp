// Collects every secret of a configuration, and removes secrets from the texts of providers. [pure]
#pragma once

#include "gateway/config/config.hpp"
#include "proxy/failures/redactor.hpp"

#include <memory>
#include <vector>

namespace photofinish::gateway {

// Returns all secrets: provider keys, configured headers, access keys, the webhook and the headers of tracing. Messages
// and logs must not contain them, even if a provider sends them back. The headers that a preset defines are public.
std::vector<proxy::secret> secrets_of(const config& settings);

// Creates the redactor of each configuration once and keeps it. Each worker has its own redactor_book.
class redactor_book {
 public:
  // Returns the redactor of a configuration. The pointer is shared, because an attempt may still use an old
  // configuration's redactor after a reload.
  std::shared_ptr<const proxy::redactor> of(const std::shared_ptr<const config>& settings);

 private:
  std::shared_ptr<const config> settings_;  // the configuration to which the redactor `made_` belongs
  std::shared_ptr<const proxy::redactor> made_;
};

}  // namespace photofinish::gateway
