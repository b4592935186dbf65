// The ids that clients get for responses that a provider stores. An id contains the name of the target that stores the
// response. The id is signed, and only the caller that received it can use it.
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
  std::string id;  // the id that the provider has given to the response

  bool operator==(const stored_response&) const = default;
};

class response_ids {
 public:
  explicit response_ids(proxy::secret key) : key_(std::move(key)) {}

  // Returns an id for clients: "resp_" and letters, digits, '-' and '_'.
  std::string sealed(const stored_response& kept, const digest& owner) const;

  // Returns the response that an id refers to. Returns nothing if this gateway did not make the id, if it belongs to
  // another caller, or if it was changed. The caller cannot distinguish these cases.
  std::optional<stored_response> opened(std::string_view id, const digest& owner) const;

 private:
  std::string signature_of(std::string_view content, const digest& owner) const;

  proxy::secret key_;
};

}  // namespace photofinish::gateway
