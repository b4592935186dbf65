// The ids that clients get for responses that a provider stores. An id names the target that has the response. It is
// signed, so that it can be used only by the caller for whom it was made.
#pragma once

#include "gateway/access/caller_digest.hpp"
#include "gateway/config/config.hpp"
#include "proxy/failures/secret.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace photofinish::gateway {

struct stored_response {
  target_name target;
  std::string id;  // the id that the provider uses

  bool operator==(const stored_response&) const = default;
};

class response_ids {
 public:
  explicit response_ids(proxy::secret key) : key_(std::move(key)) {}

  // Returns an id for clients: "resp_" and letters, digits, '-' and '_'.
  std::string sealed(const stored_response& kept, const digest& owner) const;

  // Returns the response that an id names. Returns nothing if the id is not ours, belongs to another caller, or was
  // changed. The caller cannot distinguish these cases.
  std::optional<stored_response> opened(std::string_view id, const digest& owner) const;

 private:
  std::string signature_of(std::string_view content, const digest& owner) const;

  proxy::secret key_;
};

}  // namespace photofinish::gateway
