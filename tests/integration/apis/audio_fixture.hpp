// Targets that serve audio and images, for the tests of both; and forms as clients send them.
#pragma once

#include "tests/support/gateway/gateway_fixture.hpp"

#include <list>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::testing {

using proxy::served_api;

class audio_fixture : public gateway_fixture {
 protected:
  // Named a, b, … in this order; targets of the route r.
  proxy::provider& serve(scripted_provider::script play, proxy::served_apis apis = {served_api::audio}) {
    const std::string name(1, static_cast<char>('a' + providers_.size()));
    auto& target = add(name, providers_.emplace_back(std::move(play)));
    target.apis = apis;
    targets_.push_back({name, "m"});
    return target;
  }

  void run(racing::race_policy policy = racing::race_policy::all) {
    gateway::route& route = add_route("r", {}, policy);
    route.targets = targets_;
    route.race.hedge_delay = milliseconds(30);
    start();
  }

  scripted_provider& provider(std::size_t index) { return *std::next(providers_.begin(), static_cast<std::ptrdiff_t>(index)); }

  http_response ask(const std::string& body, const std::string& path = "/v1/audio/speech") {
    test_client client = connect();
    client.post(body, "", path);
    return client.read();
  }
  http_response speak(const std::string& more = "") { return ask(R"({"model":"r","input":"hello","voice":"v")" + more + "}"); }

  static std::string field(const std::string& name, const std::string& content) {
    return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + content + "\r\n";
  }
  static std::string file(const std::string& name, const std::string& content = "RIFF") {
    return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"; filename=\"f\"\r\nContent-Type: audio/wav\r\n\r\n" +
           content + "\r\n";
  }
  static std::string request_with(const std::string& form, const std::string& path = "/v1/audio/transcriptions") {
    return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: " +
           std::to_string(form.size()) + "\r\n\r\n" + form;
  }
  http_response send(const std::string& parts, const std::string& path = "/v1/audio/transcriptions") {
    test_client client = connect();
    client.send(request_with(parts + "--b--\r\n", path));
    return client.read();
  }
  http_response transcribe(const std::string& more = "") { return send(field("model", "r") + file("file") + more); }

  std::list<scripted_provider> providers_;
  std::vector<gateway::target_name> targets_;
};

}  // namespace photofinish::testing
