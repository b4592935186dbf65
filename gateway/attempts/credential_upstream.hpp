// Implements an attempt that begins before its provider's key is available. The attempt waits for a key, and then sends
// its request with this key.
#pragma once

#include "gateway/credentials/credential_board.hpp"
#include "proxy/upstream.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace photofinish::gateway {

class credential_upstream final : public proxy::upstream {
 public:
  // Makes the attempt with the newest key. Returns null if the race already has a winner or has failed.
  using make = std::function<std::unique_ptr<proxy::upstream>()>;

  // `refused` is the number of the key that the provider rejected. If it is 0, any key is acceptable. `provider` is the
  // provider's name for error texts. All referenced objects must outlive the upstream.
  credential_upstream(credential_view& view, proxy::credential_source source, std::string provider,
                      std::uint64_t refused, proxy::alarms& clock, make made);

  boost::asio::awaitable<proxy::result<void>> open() override;
  boost::asio::awaitable<void> readable() override;
  std::optional<proxy::result<proxy::stream_event>> read() override;
  std::optional<proxy::result<proxy::stream_event>> poll() override;
  bool keep_unread() override { return inner_ ? inner_->keep_unread() : false; }
  bool may_have_event() const override { return inner_ && inner_->may_have_event(); }
  void close() noexcept override;
  const proxy::stream_summary& summary() const override { return inner_ ? inner_->summary() : none_; }

 private:
  boost::asio::awaitable<proxy::maybe_failure> key_has_come();

  credential_view& view_;
  const proxy::credential_source source_;
  const std::string provider_;
  const std::uint64_t refused_;
  proxy::alarms& clock_;
  make make_;
  std::optional<proxy::alarm> limit_;  // the timer that limits the wait for a key; set only during this wait
  std::unique_ptr<proxy::upstream> inner_;
  proxy::stream_summary none_;
  bool is_closed_ = false;
};

// Returns the error if no key could be obtained. Its text lists the steps that were tried, and explains how the user
// can fix the problem.
proxy::failure no_credentials(const std::string& provider, const held_credential* held);

}  // namespace photofinish::gateway
