// The ids that clients get of responses that a provider keeps: they say which target has it, and are signed, so that
// each opens for the caller alone that it was made for.
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
  std::string id;  // that its provider gave

  bool operator==(const stored_response&) const = default;
};

class response_ids {
 public:
  explicit response_ids(proxy::secret key) : key_(std::move(key)) {}

  // "resp_" and letters, digits, '-' and '_'.
  std::string sealed(const stored_response& kept, const digest& owner) const;

  // None where it is not ours, is another caller's, or was changed: all three look the same.
  std::optional<stored_response> opened(std::string_view id, const digest& owner) const;

 private:
  std::string signature_of(std::string_view content, const digest& owner) const;

  proxy::secret key_;
};

}  // namespace photofinish::gateway
