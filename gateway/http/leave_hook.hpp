// What a request does when its client leaves, for as long as what it refers to is there. The client's connection lives
// longer than the request: a hook that stayed set would run on freed memory.
#pragma once

#include "gateway/http/client_connection.hpp"

#include <functional>
#include <utility>

namespace photofinish::gateway {

// Removes the hooks of the client's connection when it goes, however that happens. Others may replace them meanwhile.
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

// Sets the hook, and removes it.
class leave_hook {
 public:
  leave_hook(client_connection& client, std::function<void()> hook) : removal_(client) {
    client.on_leave(std::move(hook));
  }

 private:
  hook_removal removal_;
};

}  // namespace photofinish::gateway
