// Clients of Responses, before targets that serve that API themselves or do not.
#pragma once

#include "tests/support/gateway/gateway_fixture.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace photofinish::testing {

using proxy::served_api;

class responses_fixture : public gateway_fixture {
 protected:
  using json = nlohmann::json;

  proxy::provider& add_native(const std::string& name, const scripted_provider& at) {
    proxy::provider& target = add(name, at);
    target.apis = {served_api::chat, served_api::responses};
    return target;
  }

  // On a connection of its own. The gateway starts with the first one.
  http_response call(std::string_view path, const json& request, std::string_view fields = "") {
    if (!gateway) start();
    test_client client = connect();
    client.post(request.dump(), fields, path);
    return client.read();
  }
  http_response respond(json request, std::string_view fields = "") {
    if (!request.contains("input")) request["input"] = "hi";
    return call("/v1/responses", request, fields);
  }
};

}  // namespace photofinish::testing
