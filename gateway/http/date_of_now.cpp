#include "gateway/http/date_of_now.hpp"

#include "gateway/http/response.hpp"

#include <string>

namespace photofinish::gateway {

// Returns the cached date. It changes only once a second, but many responses are sent in that time.
std::string_view date_of_now() {
  thread_local std::chrono::sys_seconds shown_at{};
  thread_local std::string shown;
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  if (now != shown_at || shown.empty()) shown_at = now, shown = http_date(now);
  return shown;
}

}  // namespace photofinish::gateway
