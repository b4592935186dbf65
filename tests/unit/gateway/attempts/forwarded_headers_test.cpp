// Tests that a client's own hint for a prompt cache reaches only the provider that defines the hint's header.
#include "gateway/attempts/forwarded_headers.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {
namespace {

using pairs = std::vector<std::pair<std::string, std::string>>;

pairs forwarded(proxy::prompt_hint_fields hint, std::vector<std::string> configured = {}) {
  client_request request;
  request.fields = {{"x-session-affinity", "mine"}, {"prompt_cache_key", "p"}, {"x-other", "o"}};
  proxy::provider to;
  to.behaves.prompt_cache.hint = std::move(hint);
  to.forwarding.headers = std::move(configured);
  return forwarded_headers(request, to);
}

TEST(ForwardedHeaders, HaveTheClientsHintOnce) {
  const pairs mine{{"x-session-affinity", "mine"}};
  EXPECT_EQ(forwarded({"x-session-affinity", "x-session-affinity"}), mine);
  EXPECT_EQ(forwarded({"x-session-affinity", "prompt_cache_key"}), mine);
  EXPECT_EQ(forwarded({"x-session-affinity", "x-session-affinity"}, {"x-session-affinity"}), mine);
}

TEST(ForwardedHeaders, HaveNoHintOfAnotherProvider) {
  EXPECT_EQ(forwarded({}), pairs{});
  EXPECT_EQ(forwarded({"x-grok-conv-id", "prompt_cache_key"}), pairs{});
  EXPECT_EQ(forwarded({"prompt_cache_key", "prompt_cache_key"}), pairs{});
}

}  // namespace
}  // namespace photofinish::gateway
