// A request's hook for its client's departure, removed when the request's data goes. The client's connection lives
// longer than the request: without removal the hook would use freed memory.
#pragma once

#include "gateway/http/client_connection.hpp"

#include <functional>
#include <utility>

namespace photofinish::gateway {

// Removes the hooks of the client's connection in its destructor. Others may replace the hooks meanwhile.
class hook_removal {
 public:
  explicit hook_removal(client_connection& client) : client_(client) {}
  ~hook_removal() {
    client_.on_leave({});
    client_.on_bytes({});
  }
  hook_removal(const hook_removal&) = delete;
  hook_removal& operator=(const hook_removal&) = delete;

 private:
  client_connection& client_;
};

// Sets the hook, and removes it in its destructor.
class leave_hook {
 public:
  leave_hook(client_connection& client, std::function<void()> hook) : removal_(client) {
    client.on_leave(std::move(hook));
  }

 private:
  hook_removal removal_;
};

}  // namespace photofinish::gateway
